// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// `reveille publish NAME - --needed`: a command runs while somebody needs the name.
@Suite(.blocking, .timeLimit(.minutes(10))) struct PublishNeededTests {
    private static let name = "org.example.job"

    private let bus: BusProcess

    init() throws {
        bus = try BusProcess()
    }

    /// Starts the publication of what a shell script prints, and waits until it asks for the demand.
    private func start(_ script: String) throws -> RunningProgram {
        let run = try RunningProgram(
            ["publish", Self.name, "-", "--needed", "sh", "-c", script], in: bus.directory,
            environment: ["REVEILLE_ADDRESS": bus.address, "RAN": bus.directory.path + "/ran"])
        return run
    }

    private func value() throws -> JSON? {
        try bus.client().state(of: Self.name)["value"]
    }

    private func file(_ name: String) -> String { bus.directory.read(name) }

    @Test("the command runs while a subscriber is awake, and its newest state stays until the end")
    func commandRunsWhileNeeded() throws {
        let run = try start(
            """
            tail -f /dev/null & trap 'kill $!; echo end >>$RAN; exit 0' TERM
            echo start >>$RAN; echo '{"n": 1}'; echo '{"n": 2}'; wait
            """)
        let subscriber = try bus.subscribe(#"{"aspects":["\#(Self.name)"]}"#)
        while try subscriber.next().last?["value"] != ["n": 2] {}
        #expect(file("ran") == "start\n")
        try bus.client().call("SetState", #"{"subscription":"\#(subscriber.id)","state":"background"}"#)
        try wait(for: "the end of the command") { file("ran") == "start\nend\n" }
        #expect(try value() == ["n": 2])
        try bus.client().call("SetState", #"{"subscription":"\#(subscriber.id)","state":"foreground"}"#)
        // Two lines that come together are one publication, and this one equals the last.
        try wait(for: "the command again") { file("ran") == "start\nend\nstart\n" }
        run.process.signal(SIGTERM)
        run.process.wait()
        try wait(for: "the withdrawal") { try value() == .null }
        #expect(file("ran") == "start\nend\nstart\nend\n")
    }

    @Test(
        "a line that is not a state is reported and passed over, and a command that ends runs again for the next need")
    func wrongLines() throws {
        let run = try start("echo start >>$RAN; echo nonsense; echo; echo '[1]'; echo '{\"n\": 3}'; exit 4")
        let demand = try bus.client()
        try demand.send(
            #"{"method":"org.reveille.Bus.ObserveDemand","more":true,"parameters":{"aspects":["\#(Self.name)"]}}"#)
        _ = try demand.receive()
        for round in 1...2 {
            let subscriber = try bus.subscribe(#"{"aspects":["\#(Self.name)"]}"#)
            _ = try demand.receive()
            try wait(for: "the state: \(run.errors)") { try value() == ["n": 3] }
            try wait(for: "the exit code: \(run.errors)") { run.errors.ranges(of: "exit code 4").count == round }
            try subscriber.setState("background", on: bus.client())
            _ = try demand.receive()
        }
        #expect(file("ran") == "start\nstart\n")
        run.stop()
        #expect(run.errors.contains("nonsense"))
    }

    @Test("the newest state that is printed while there is no bus is published when it is back, and no older one")
    func newestState() throws {
        try #require(mkfifo(bus.directory.path + "/gate", 0o600) == 0)
        let run = try start(
            """
            echo '{"n": 1}'; read line <"${RAN%/*}/gate"; echo '{"n": 2}'; echo '{"n": 3}'; echo printed >>$RAN
            exec sleep 1000
            """)
        let subscriber = try bus.subscribe(#"{"aspects":["\#(Self.name)"]}"#)
        while try subscriber.next().last?["value"] != ["n": 1] {}
        bus.kill()
        try wait(for: "the loss") { run.errors.contains("waiting for the bus to return") }
        close(open(bus.directory.path + "/gate", O_WRONLY | O_CLOEXEC))
        try wait(for: "the lines") { file("ran") == "printed\n" }
        try bus.restart()
        try wait(for: "the newest state: \(run.errors)") { try value() == ["n": 3] }
        let history = try bus.client().call("GetHistory", #"{"aspect":"\#(Self.name)"}"#).parameters.objects("events")
        let older: JSON = ["n": 1]
        #expect(!history.contains { $0["value"] == older }, "\(history)")
        run.stop()
    }

    @Test("a value over the limit ends only itself, and a last line needs no end") func refusedLines() throws {
        let long = String(repeating: "a", count: 5_000)
        let run = try start(#"echo '{"n": 1}'; echo '{"long": "\#(long)"}'; exec sleep 1000"#)
        let subscriber = try bus.subscribe(#"{"aspects":["\#(Self.name)"]}"#)
        while try subscriber.next().last?["value"] != ["n": 1] {}
        try wait(for: "the report: \(run.errors)") { run.errors.contains("QuotaExceeded") }
        #expect(try value() == ["n": 1])
        #expect(run.stop() == 128 + SIGTERM)
        #expect(run.errors.hasPrefix(#"reveille: sh printed '{"long": "aaa"#), "\(run.errors)")
        #expect(run.errors.contains("which is not published as \(Self.name): "), "\(run.errors)")
        let next = try start(#"printf '{"n": 2}\n{"n": 3}'"#)
        while try subscriber.next().last?["value"] != ["n": 3] {}
        #expect(next.stop() == 128 + SIGTERM && next.errors.isEmpty)
    }

    @Test("a command that is missing, a value instead of -, and --json are usage errors")
    func usage() throws {
        for arguments in [["-", "--needed"], ["{}", "--needed", "true"], ["-", "--json", "--needed", "true"]] {
            let run = try ProgramRun(["publish", Self.name] + arguments, in: bus.directory)
            #expect(run.code == 64, "\(run.errors)")
        }
        let missing = try ProgramRun(
            ["publish", Self.name, "-", "--needed", "/no/such"], in: bus.directory,
            environment: ["REVEILLE_ADDRESS": bus.address])
        #expect(missing.code == 127)
    }
}
