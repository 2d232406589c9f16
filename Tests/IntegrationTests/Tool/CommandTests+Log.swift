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
            #"{"aspects":["battery","org.reveille.rules.x1.y2","org.reveille.schedule.tea"],"state":"background"}"#)
        let status = try bus.run(["status"]).output
        #expect(
            status.contains("org.example.a-player  published") && !status.contains("org.reveille.rules"), "\(status)")
        #expect(status.contains("\n2 names of rules and the schedule; --all lists them\n"))
        #expect(status.contains("  battery schedule\n"))
        #expect(try bus.run(["status", "--all"]).output.contains("\norg.reveille.rules.x1.y2 "))
        withExtendedLifetime(subscriber) {}
    }

    @Test func earlierBusIsAnErrorThatNamesTheMethod() throws {
        let script = """
            import socket, sys
            listener = socket.socket(socket.AF_UNIX); listener.bind(sys.argv[1]); listener.listen()
            print("listening", flush=True)
            peer, _ = listener.accept()
            while peer.recv(4096): peer.sendall(b'{"error": "org.varlink.service.MethodNotFound"}' + b"\\0")
            """
        let path = bus.directory.path + "/made-up"
        let program = try RunningProgram(["-c", script, path], program: "python3", in: bus.directory)
        try wait(for: "the bus to listen") { !program.output.isEmpty }
        defer { program.stop() }
        let run = try ProgramRun(["log", "--address", "unix:" + path], in: bus.directory)
        #expect(run.code == 76)
        #expect(run.errors == "reveille: GetLog: the bus does not have this method; is it an earlier version?\n")
    }

    @Test("a withdrawn name and its withdrawal are in the log, also after a restart")
    func withdrawalIsALine() throws {
        #expect(try bus.run(["publish", "org.example.player", #"{"title":"x"}"#]).code == 0)
        #expect(try bus.run(["withdraw", "org.example.player"]).code == 0)
        func check() throws {
            let lines = try log("org.example.*").output.split(separator: "\n").map { $0.dropFirst(21) }
            #expect(lines == [#"org.example.player  {"title":"x"}"#, "org.example.player  withdrawn"])
        }
        try check()
        #expect(bus.stop() == 0)
        try bus.restart()
        try check()
        let errors = try log().errors
        #expect(errors.hasPrefix("reveille: the log begins at "), "\(errors)")
        #expect(try log("--since", "0s").errors.hasPrefix("reveille: the log begins") == false)
    }
}
