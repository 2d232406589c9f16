// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing

/// Published names in scenarios.
@Suite(.blocking, .timeLimit(.minutes(5))) struct NameExpectationTests {
    private let scene: SimulateScene

    init() throws {
        scene = try SimulateScene()
    }

    @Test("states that the scenario publishes are delivered to the program, and meet the expectations")
    func publishedStatesMeetExpectations() throws {
        let scenario = """
            expect org.example.player withdrawn changes 0
            start
            wait subscribed
            publish org.example.player {"title": "Clocks  and Coffee", "volume": 0.5, "of": {"a": [1, null]}}
            expect org.example.player title Clocks  and Coffee changes 1
            expect org.example.player volume 5e-1
            expect org.example.player of.a [1,null]
            expect org.example.player {"of": {"a": [1.0, null]}, "volume": 0.5, "title": "Clocks  and Coffee"}
            background
            publish org.example.player {"volume": 1}
            publish org.example.player {"volume": 2}
            foreground
            expect org.example.player volume 2 changes 2
            publish org.example.player {"volume": 2.0}
            restart
            expect org.example.player changes 2
            wait subscribed
            wait delivered
            withdraw org.example.player
            expect org.example.player withdrawn changes 1
            end
            """
        let run = try scene.simulate(scenario, [BusProcess.program, "watch", "org.example.*", "--json"])
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains(#""value":{"volume":2}"#), "\(run.output)")
    }

    @Test("the scenario with a name in the document passes") func scenarioInTheDocumentPasses() throws {
        let block = try #require(Package.text("Docs/Testing.md").split(separator: "```scenario\n").last)
        let scenario = String(block.prefix { $0 != "`" })
        #expect(scenario.contains("publish "))
        let run = try scene.simulate(scenario, [BusProcess.program, "watch", "org.example.*"])
        #expect(run.code == 0, "\(run.errors)")
    }

    @Test("a state that the program publishes meets the expectations")
    func publishingProgramMeetsExpectations() throws {
        let program = """
            "$0" publish org.example.mixer '{"level": 0.25}'
            "$0" publish org.example.mixer '{"level": 0.75}'
            exec sleep 1000
            """
        let run = try scene.simulate(
            "start\nexpect org.example.mixer level 0.75\nend", ["sh", "-c", program, BusProcess.program])
        #expect(run.code == 0, "\(run.errors)")
    }

    @Test(
        "an expectation of a name that is not met is reported with the last event",
        arguments: [
            ("level 0.4", "the last event is org.example.volume level 0.5 changes 1"),
            ("level 0.5 changes 2", "the last event is org.example.volume level 0.5 changes 1"),
            ("steps 1", "the last event is org.example.volume steps missing changes 1"),
            ("level.of 1", "the last event is org.example.volume level.of missing changes 1"),
            (#"{"level": 0.6}"#, #"the last event is org.example.volume {"level":0.5} changes 1"#),
            ("withdrawn", #"the last event is org.example.volume {"level":0.5} changes 1"#),
            ("changes 3", "the last event is org.example.volume changes 1"),
        ])
    func unmetExpectationIsReported(expected: String, message: String) throws {
        let run = try scene.simulate(
            #"publish org.example.volume {"level": 0.5}"# + "\nexpect org.example.volume " + expected,
            options: ["--patience", "0.1"], ["sleep", "1000"])
        #expect(run.code == 1)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test(
        "an invalid step of a name is reported with the expected syntax",
        arguments: [
            ("publish volume {}", "usage: publish NAME OBJECT"),
            ("publish org.example.* {}", "usage: publish NAME OBJECT"),
            ("publish battery {}", "usage: publish NAME OBJECT"), ("publish org.example.volume", "usage: publish NAME"),
            ("publish org.example.volume 7", "usage: publish NAME"),
            ("publish org.example.volume {level: 1}", "usage: publish NAME"),
            ("withdraw", "usage: withdraw NAME"), ("withdraw org.example.a b", "usage: withdraw NAME"),
            ("expect org.example.volume", "usage: expect"), ("expect org.example.volume level", "usage: expect"),
            ("expect org.example.* level 1", "usage: expect"), (#"expect org.example.a {"a"}"#, "usage: expect"),
            ("expect org.example.a level 1 changes many", "usage: expect"),
        ])
    func invalidStepIsReported(step: String, usage: String) throws {
        let run = try scene.simulate(step, ["true"])
        #expect(run.code == 78)
        #expect(run.errors.contains(usage), "\(run.errors)")
    }

    @Test("a value that the bus refuses is reported with its line")
    func refusedValueIsReported() throws {
        let text = String(repeating: "x", count: 5_000)
        let run = try scene.simulate(#"publish org.example.a {"text": "\#(text)"}"#, ["sleep", "1000"])
        #expect(run.code != 0)
        #expect(run.errors.contains("scenario:1: publish"))
        #expect(run.errors.contains("4096"))
    }
}
