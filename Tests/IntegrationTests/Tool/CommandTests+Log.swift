// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// `reveille log`: its output, its options and buses that are restarted or of an earlier version.
extension CommandTests {
    private func log(_ arguments: String...) throws -> ProgramRun {
        let run = try bus.run(["log"] + arguments)
        #expect(run.code == 0, "\(run.errors)")
        return run
    }

    private func sequences(_ run: ProgramRun) throws -> [Int] {
        try run.output.split(separator: "\n").map {
            try JSON.parse(Array($0.utf8)).objectValue?.integer("sequence") ?? -1
        }
    }

    private func postThree() throws {
        let client = try bus.client()
        try client.post(level: 0.5)
        try client.call("Post", #"{"proximity":{"state":"near"}}"#)
        try client.post(level: 0.4)
    }

    @Test func changesOfAllAspectsAreOneListInTheirOrder() throws {
        #expect(try log().output.isEmpty)
        try postThree()
        let line = #/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  (.*)/#
        let lines = try log().output.split(separator: "\n").map { try line.wholeMatch(in: $0)?.output.1 }
        #expect(lines == ["battery     unplugged, 50%", "proximity   near", "battery     unplugged, 40%"])
        #expect(try sequences(log("--json")) == [1, 2, 3])
        #expect(try sequences(log("--json", "battery")) == [1, 3])
        #expect(try sequences(log("--json", "proximity", "battery", "proximity")) == [1, 2, 3])
        #expect(try sequences(log("--json", "-n", "2")) == [2, 3])
        #expect(try sequences(log("--json", "--limit", "9")) == [1, 2, 3])
    }

    /// Publishes a name, and what a rule and an entry without a name publish.
    private func publishOwnNames() throws {
        for (name, value) in [
            ("org.example.a-player", #"{"a":1}"#), ("org.reveille.rules.x1.y2", #"{"rule":"every 1s -- true"}"#),
            ("org.reveille.schedule.tea", "{}"),
        ] { #expect(try bus.client().call("Publish", #"{"aspect":"\#(name)","value":\#(value)}"#).error == nil) }
    }

    @Test("columns align, and names of rules and the schedule are left out unless they are named")
    func ownNamesAreLeftOut() throws {
        try publishOwnNames()
        try bus.client().post(level: 0.5)
        func lines(_ run: ProgramRun) -> [Substring] {
            run.output.split(separator: "\n").map { $0.dropFirst("2026-11-21 14:03:22  ".count) }
        }
        #expect(try lines(log()) == [#"org.example.a-player  {"a":1}"#, "battery               unplugged, 50%"])
        #expect(
            try lines(log("--all")) == [
                #"org.example.a-player       {"a":1}"#, "rule                       every 1s -- true",
                "org.reveille.schedule.tea  {}", "battery                    unplugged, 50%",
            ])
        #expect(try lines(log("org.reveille.rules.x1.y2")) == ["rule        every 1s -- true"])
        let subscriber = try bus.subscribe(
            #"{"aspects":["battery","org.reveille.rules.x1.y2","org.reveille.schedule.tea"],"background":true}"#)
        let status = try bus.run(["status"]).output
        #expect(
            status.contains("org.example.a-player  published") && !status.contains("org.reveille.rules"), "\(status)")
        #expect(status.contains("\n2 names of rules and the schedule; --all lists them\n"))
        #expect(status.contains("  battery schedule\n"))
        #expect(try bus.run(["status", "--all"]).output.contains("\norg.reveille.rules.x1.y2 "))
        withExtendedLifetime(subscriber) {}
    }

    /// Runs `reveille log --json` against a bus whose replies to GetHistory are the items of a Python list.
    ///
    /// - Returns: The run, and the aspects of the calls.
    private func log(
        _ arguments: String..., historiesOf replies: String
    ) throws -> (run: ProgramRun, aspects: [Substring]) {
        let script = """
            import itertools, json, socket, sys
            replies = iter(\(replies))
            listener = socket.socket(socket.AF_UNIX); listener.bind(sys.argv[1]); listener.listen()
            print("listening", flush=True)
            peer, _ = listener.accept()
            while call := peer.recv(4096):
                if b"DescribeAspects" in call:
                    names = ["battery", "org.example.volume", "org.other.volume"]
                    aspects = [{"aspect": n, "available": False, "monitored": False} for n in names]
                    reply = {"parameters": {"aspects": aspects}}
                else:
                    reply = next(replies)
                    print(json.loads(call[:-1])["parameters"]["aspect"], flush=True)
                peer.sendall(json.dumps(reply).encode() + b"\\0")
            """
        let path = bus.directory.path + "/made-up"
        let program = try RunningProgram(["-c", script, path], program: "python3", in: bus.directory)
        try wait(for: "the bus to listen") { !program.output.isEmpty }
        defer { program.stop() }
        let run = try ProgramRun(["log", "--json", "--address", "unix:" + path] + arguments, in: bus.directory)
        return (run, program.output.split(separator: "\n").dropFirst().map { $0 })
    }

    private static func replies(_ instances: String...) -> String {
        let replies = instances.map { #"{"parameters": {"instance": "\#($0)", "events": []}}"# }
        return "[\(replies.joined(separator: ", "))]"
    }

    @Test func earlierBusIsAnErrorThatNamesTheMethod() throws {
        let run = try log(historiesOf: #"[{"error": "org.varlink.service.MethodNotFound"}]"#).run
        #expect(run.code == 76)
        #expect(
            run.errors == "reveille: GetHistory: the bus does not have this method; is it an earlier version?\n")
    }

    @Test func anotherInstanceIsQueriedAgain() throws {
        let (run, aspects) = try log(historiesOf: Self.replies("a", "b", "b", "b", "b", "b"))
        #expect(run.code == 0)
        #expect(aspects.count == 6, "each of three aspects twice")
    }

    @Test func busThatDoesNotRestIsATemporaryFailure() throws {
        let run = try log(historiesOf: "itertools.cycle(\(Self.replies("a", "b")))").run
        #expect(run.code == 75)
        #expect(run.errors == "reveille: the bus became another instance 3 times while it was read\n")
    }
}
