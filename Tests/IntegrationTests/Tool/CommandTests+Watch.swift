// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// `reveille watch`: its output, reconnection and exit codes.
extension CommandTests {
    @Test("a source and a domain that are missing are reported, and waited for") func missingSourceIsReported() throws {
        let run = try RunningProgram(
            ["watch", "light", "defaults", "--domain", "nosuch", "--domain", "dconf:/org/x/", "--count", "1"],
            in: bus.directory, environment: ["REVEILLE_ADDRESS": bus.address])
        for text in [
            "a source of light: ", "the domain dconf:/org/x/, of which there are no settings\n",
            "the domain nosuch, of which there are no settings\n",
        ] { try wait(for: "\(text), not \(run.errors)") { run.errors.contains("waiting for " + text) } }
        #expect(try bus.run(["post", "light", #"{"lux":12}"#]).code == 0)
        #expect(run.process.wait() == 0 && run.output.hasSuffix("12 lux\n"), "\(run.output)")
    }

    private func watch(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProgram {
        try RunningProgram(
            ["watch"] + arguments, in: bus.directory,
            environment: environment.merging(["REVEILLE_ADDRESS": bus.address]) { $1 })
    }

    private func waitForSubscribers(_ count: Int = 1) throws {
        let client = try bus.client()
        try wait(for: "subscribers") { try client.subscriptions().count == count }
    }

    private func changes(of run: RunningProgram) throws -> [Int] {
        try run.output.split(separator: "\n").map {
            try JSON.parse(Array($0.utf8)).objectValue?.integer("changes") ?? -1
        }
    }

    @Test func watchContinuesAfterARestart() throws {
        let run = try watch(["battery", "--json"])
        try waitForSubscribers()
        try bus.client().post(level: 0.5)
        try wait(for: "the first change") { try changes(of: run) == [1] }
        #expect(bus.stop() == 0)
        try wait(for: "a message") { run.errors.contains("waiting for the bus to return") }
        try bus.restart()
        try bus.client().post(level: 0.4)
        try bus.client().post(level: 0.3)
        try wait(for: "all changes") { try changes(of: run).reduce(0, +) == 3 }
        try wait(for: "another message") { run.errors.contains("reconnected to the bus") }
        #expect(run.output.split(separator: "\n").last?.contains(#""level":0.3"#) == true)
        #expect(run.stop() == 0)
    }

    @Test func positionsAreKeptBetweenRuns() throws {
        let state = bus.directory.path + "/positions"
        func watching(_ more: [String] = [], while body: (RunningProgram) throws -> Void) throws {
            let run = try watch(["--json", "--state", state] + more)
            try body(run)
            #expect(run.stop() == 0)
        }
        func stored(_ aspect: String) throws -> Int? {
            guard access(state, F_OK) == 0 else { return nil }
            let json = try JSON.parse(Array(bus.directory.read("positions").utf8)).objectValue
            return json?["generations"]?.objectValue?[aspect]?.integerValue.map(Int.init)
        }
        try watching { _ in try wait(for: "positions before the first event") { try stored("battery") == 0 } }
        // No `watch` is running.
        try bus.client().post(level: 0.5)
        try bus.client().post(level: 0.4)
        try watching { run in
            try wait(for: "the changes between the runs") { try changes(of: run) == [2] }
            try wait(for: "its position") { try stored("battery") == 2 }
            try bus.client().post(level: 0.3)
            try wait(for: "the next change") { try changes(of: run) == [2, 1] }
            try wait(for: "its position") { try stored("battery") == 3 }
        }
        // Watching one aspect keeps the positions of the others.
        try bus.client().call("Post", #"{"proximity":{"state":"near"}}"#)
        try watching(["proximity"]) { run in
            try wait(for: "one change") { try changes(of: run) == [1] }
            try wait(for: "its position") { try stored("proximity") == 1 }
        }
        #expect(try stored("battery") == 3)
    }

    @Test(arguments: ["precious", "{}", #"{"instance":"a","generations":{"battery":-1}}"#, #"{"generations":[]}"#])
    func fileWithoutPositionsIsNotOverwritten(contents: String) throws {
        try bus.directory.write(contents, to: "notes")
        let run = try bus.run(["watch", "--state", bus.directory.path + "/notes"])
        #expect(run.code == 74)
        #expect(run.errors.contains("/notes: not a file written by 'reveille watch --state'; left unchanged"))
        #expect(bus.directory.read("notes") == contents)
    }

    @Test("watch says what it leaves out, and --all leaves out nothing") func watchAllLeavesOutNothing() throws {
        let environment = ["REVEILLE_ADDRESS": bus.address]
        #expect(try bus.run(["publish", "se.example.lamp", #"{"on":true}"#]).code == 0)
        let watch = try RunningProgram(["watch"], in: bus.directory, environment: environment)
        let text = "reveille: 1 published name is left out; 'reveille watch --all' prints its changes too\n"
        try wait(for: "the hint, not \(watch.errors)") { watch.errors == text }
        let all = try RunningProgram(["watch", "--all", "--json"], in: bus.directory, environment: environment)
        try wait(for: "both subscriptions") { try bus.client().subscriptions().count == 2 }
        for name in ["se.example.lamp", "org.example.other"] {
            #expect(try bus.run(["publish", name, #"{"on":false}"#]).code == 0)
        }
        #expect(try bus.run(["post", "light", #"{"lux":5}"#]).code == 0)
        try wait(for: "three events") { all.output.split(separator: "\n").count == 3 }
        #expect(watch.output.isEmpty)
    }

    @Test("watch --wait waits for a bus") func watchWaitsForABus() throws {
        #expect(bus.stop() == 0)
        let environment = ["REVEILLE_ADDRESS": bus.address]
        #expect(try ProgramRun(["watch"], in: bus.directory, environment: environment).code == 69)
        let watch = try RunningProgram(
            ["watch", "battery", "--wait", "--initial", "--count", "1"], in: bus.directory, environment: environment)
        try bus.restart()
        #expect(watch.process.wait() == 0)
        #expect(watch.output.contains("battery"))
    }

    @Test(arguments: ["/dev/full", "/dev"]) func stateMustBeARegularFile(path: String) throws {
        let run = try bus.run(["watch", "--state", path])
        #expect(run.code == 74)
        #expect(run.errors == "reveille: \(path) is not a regular file\n")
        #expect(access(path + ".lock", F_OK) != 0)
    }

    @Test(arguments: [SIGINT, SIGHUP]) func signalBeforeTheCountIsAFailure(signal: Int32) throws {
        let counting = try watch(["battery", "--json", "--count", "2"])
        let endless = try watch(["battery", "--json"])
        try waitForSubscribers(2)
        try bus.client().post(level: 0.5)
        for run in [counting, endless] {
            try wait(for: "a change") { try changes(of: run) == [1] }
            run.process.signal(signal)
        }
        #expect(counting.process.wait() == 128 + signal)
        #expect(counting.reports.isEmpty)
        #expect(endless.process.wait() == 0)
    }

    @Test func quitEndsTheProgramWithoutACrashReport() throws {
        let reports = ["SWIFT_BACKTRACE": "enable=yes"]
        let bus = try BusProcess(environment: reports)
        let run = try watch(["battery"], environment: reports)
        try waitForSubscribers()
        for (process, errors) in [(run.process, { run.errors }), (bus.process, { bus.log })] {
            process.signal(SIGQUIT)
            #expect(process.wait() & 0x7F == SIGQUIT)
            #expect(!errors().contains("crash"), "\(errors())")
        }
    }

    @Test func timeoutDistinguishesNoEventFromTooFew() throws {
        let none = try watch(["battery", "--timeout", "1"])
        #expect(none.process.wait() == 124)
        #expect(none.reports == "reveille: no event within 1 second\n")
        let one = try watch(["battery", "--initial", "--count", "2", "--timeout", "5"])
        #expect(one.process.wait() == 124)
        #expect(one.reports == "reveille: no further event within 5 seconds\n")
    }

    @Test func dateAndSourceAreShownOnRequest() throws {
        let source = try bus.description(of: "battery")["reason"]?.stringValue ?? ""
        let plain = try watch(["battery", "--count", "1"])
        let full = try watch(["battery", "--count", "1", "--date", "--source"])
        try waitForSubscribers(2)
        try bus.client().post(level: 0.5)
        #expect(plain.process.wait() == 0)
        #expect(full.process.wait() == 0)
        #expect(plain.output.wholeMatch(of: #/\d\d:\d\d:\d\d  battery     [^\[]*\n/#) != nil, "\(plain.output)")
        #expect(
            full.output.wholeMatch(of: #/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  battery     .*  \[.*\]\n/#) != nil,
            "\(full.output)")
        #expect(full.output.contains(source), "\(full.output)")
    }

    private static let invalidOptions: [([String], String)] = [
        (["--timeout", "1e308"], "it must be a number of seconds from 0.001 to 31536000"),
        (["--timeout", "nan"], "it must be a number of seconds from 0.001 to 31536000"),
        (["--timeout=-1"], "it must be a number of seconds from 0.001 to 31536000"),
        (["--count", "0"], "'0' is invalid for '--count <count>': it must be a whole number of at least 1"),
        (["--count", "-1"], "'-1' is invalid for '--count <count>': it must be a whole number of at least 1"),
        (["--timeout", "-1"], "it must be a number of seconds from 0.001 to 31536000"),
        (
            ["--interval", "x"],
            "The value 'x' is invalid for '--interval <interval>': it must be a number of seconds"
        ),
        (["--timeout", ""], "The value '' is invalid for '--timeout <timeout>': it must be a number of seconds"),
        (
            ["--count", "1.5"],
            "The value '1.5' is invalid for '--count <count>': it must be a whole number of at least 1"
        ),
        (["--state", ""], "--state must not be empty"),
        (["--json", "--date"], "--date and --source cannot be combined with --json"),
    ]

    @Test func invalidOptionOfWatchIsReported() throws {
        for (arguments, reason) in Self.invalidOptions {
            let run = try ProgramRun(["watch"] + arguments, in: bus.directory)
            #expect(run.code == 64, "\(arguments)")
            #expect(run.errors.contains(reason), "\(run.errors)")
        }
    }
}
