// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing

extension SimulateTests {
    private static let all = """
        level 0.3
        expect battery level 0.3 changes 1
        expect battery unplugged
        start
        wait subscribed
        plug
        expect battery charging changes 1
        expect battery plugged true
        background
        level 0.2
        level 0.1
        locale de_DE.UTF-8
        rotate faceUp
        rotate landscapeLeft
        expect battery level 0.3
        foreground
        expect battery level 0.1 changes 2
        expect locale de_DE changes 1
        expect orientation changes 2
        expect orientation planar landscapeLeft
        settings app.json {"theme": "dark", "size": 2}
        expect defaults app theme
        """

    @Test("the events of a sleeping subscriber meet the expectations") func expectationsAreMet() throws {
        let run = try scene.simulate(Self.all + "\nend", [BusProcess.program, "watch"])
        #expect(run.code == 0, "\(run.errors)")
    }

    @Test("an expectation is checked even if the program exits after its event")
    func expectationIsCheckedAfterTheProgramHasExited() throws {
        let scenario = "wait subscribed\nlevel 0.1\nexpect battery level 0.1 changes 1"
        #expect(try scene.simulate(scenario, SimulateScene.python).code == 0)
    }

    @Test(
        "an unmet expectation ends the program and is reported with the last event",
        arguments: [
            (
                "expect battery level 0.4",
                "scenario:1: expect battery level 0.4: the last event is battery level 0.8 changes 0"
            ),
            (
                "near\nexpect proximity near changes 2",
                "scenario:2: expect proximity near changes 2: the last event is"
            ),
            (
                "start\nend\nwait 60\nexpect battery full",
                "scenario:4: expect battery full: the program ended early, with"
            ),
        ])
    func unmetExpectationIsReported(scenario: String, message: String) throws {
        let run = try scene.simulate(scenario, options: ["--patience", "0.1"], ["sleep", "1000"])
        #expect(run.code == 1)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test("a report continues after a failure and has stdout to itself") func reportContinues() throws {
        let scenario = """
            expect battery level 0.4
            near
            expect proximity near
            end
            wait 60
            expect proximity far
            """
        let run = try scene.simulate(
            scenario, options: ["--tap", "--patience", "0.1"], ["sh", "-c", "echo mine; exec sleep 1000"])
        #expect(run.code == 1)
        #expect(run.errors == "mine\n")
        #expect(
            run.output == """
                TAP version 14
                1..3
                not ok 1 - expect battery level 0.4
                  ---
                  message: "the last event is battery level 0.8 changes 0"
                  at: "\(scene.directory.path)/scenario:1"
                  ...
                ok 2 - expect proximity near
                not ok 3 - expect proximity far
                  ---
                  message: "the program ended early, with exit code 143"
                  at: "\(scene.directory.path)/scenario:6"
                  ...

                """)
    }

    @Test("a failing step ends the report") func failingStepBailsOut() throws {
        let run = try scene.simulate(
            "remove charger\nplug\nexpect battery full", options: ["--tap"], ["sleep", "1000"])
        #expect(run.code == 1)
        #expect(run.output.contains("Bail out! ") && run.output.contains("the phone has no charger"))
    }

    @Test("a scenario can be read from stdin") func scenarioIsReadFromStandardInput() throws {
        let script = "printf 'level 0.3\\nexpect battery level 0.4\\n' | \"$0\" simulate --patience 0 - -- sleep 1000"
        let run = try ProgramRun(["-c", script, BusProcess.program], program: "sh", in: scene.directory)
        #expect(run.code == 1)
        #expect(run.errors.contains("-:2: expect battery level 0.4: "), "\(run.errors)")
    }

    @Test("documents that are written, renamed and removed meet the expectations") func documentsMeetExpectations()
        throws
    {
        let scenario = """
            document a one
            expect folders documents +a
            background
            document a two
            document b.part three
            rename-document b.part b
            document c four
            remove-document c
            foreground
            expect folders documents ~a changes 5
            expect folders documents +b changes 5
            rename-document a d
            expect folders documents a→d changes 1
            end
            """
        let run = try scene.simulate(scenario, ["sleep", "1000"])
        #expect(run.code == 0, "\(run.errors)")
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
    func unmetExpectationOfANameIsReported(expected: String, message: String) throws {
        let run = try scene.simulate(
            #"publish org.example.volume {"level": 0.5}"# + "\nexpect org.example.volume " + expected,
            options: ["--patience", "0.1"], ["sleep", "1000"])
        #expect(run.code == 1)
        #expect(run.errors.contains(message), "\(run.errors)")
    }
}
