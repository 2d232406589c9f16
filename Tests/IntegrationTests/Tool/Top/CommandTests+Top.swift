// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

extension CommandTests {
    @Test(arguments: [["top"], ["top", "--batch", "--count", "1"], ["top", "-b", "-n", "1"]])
    func linesShowAspectsAndSubscriptions(command: [String]) throws {
        let held = try bus.subscribe(#"{"aspects":["battery"],"name":"player","state":"background"}"#)
        try bus.client().post(level: 0.5)
        try bus.client().post(level: 0.4)
        let run = try bus.run(command)
        #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("1 subscription, 1 held   - changes/s") == true, "\(run.output)")
        #expect(lines.contains { $0.contains(#/^battery +unplugged, 40% .* ⣇ +posted/#) }, "\(run.output)")
        #expect(lines.contains { $0.contains(#/^player .* held: app +battery 2 /#) }, "\(run.output)")
        withExtendedLifetime(held) {}
    }

    @Test func nothingIsSubscribedToOrWatchedForIt() throws {
        let phone = try SyntheticPhone()
        let bus = try BusProcess(on: phone)
        let run = try RunningProgram(["top", "-b"], in: bus.directory, environment: ["REVEILLE_ADDRESS": bus.address])
        let heads = { run.output.split(separator: "\n").count { $0.contains(" subscriptions ") } }
        try wait(for: "two polls") { heads() >= 2 }
        #expect(try bus.client().subscriptions().isEmpty)
        for aspect in ["battery", "proximity", "orientation", "motion", "light", "power"] {
            #expect(try bus.description(of: aspect)["monitored"] == false, "\(aspect)")
        }
        // It reads a sensor once, and so shows its value.
        try wait(for: "the battery's value, not \(run.output)") {
            run.output.contains(#/\nbattery +unplugged, 80% /#)
        }
        run.process.signal(SIGTERM)
        #expect(run.process.wait() == 128 + SIGTERM)
    }

    @Test func busThatIsAwayIsReportedUntilItIsBack() throws {
        let run = try RunningProgram(["top", "-b"], in: bus.directory, environment: ["REVEILLE_ADDRESS": bus.address])
        try wait(for: "a poll") { run.output.contains("no subscriptions\n") }
        #expect(bus.stop() == 0)
        try wait(for: "a message") { run.errors.contains("waiting for the bus to return") }
        let polls = run.output.count
        try bus.restart()
        try wait(for: "another message") { run.errors.contains("reconnected to the bus") }
        try wait(for: "another poll") { run.output.count > polls }
        #expect(run.errors.split(separator: "\n").count == 2, "\(run.errors)")
        run.process.signal(SIGTERM)
        run.process.wait()
    }

    private static let invalidOptions: [([String], String)] = [
        (["--delay", "0.5"], "it must be a number of seconds from 1 to 3600"),
        (["--delay", "3601"], "it must be a number of seconds from 1 to 3600"),
        (["-d", "nan"], "it must be a number of seconds from 1 to 3600"),
        (["-d", "x"], "it must be a number of seconds"), (["-n", "0"], "it must be a whole number of at least 1"),
        (["-n", "x"], "it must be a whole number of at least 1"), (["battery"], "Unexpected argument 'battery'"),
    ]

    @Test func invalidOptionOfTopIsReported() throws {
        for (arguments, reason) in Self.invalidOptions {
            let run = try bus.run(["top"] + arguments)
            #expect(run.code == 64, "\(arguments)")
            #expect(run.errors.contains(reason), "\(run.errors)")
        }
    }
}
