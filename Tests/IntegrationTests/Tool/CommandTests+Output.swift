// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// The program's output: lost output, closed streams and control characters.
extension CommandTests {
    @Test(arguments: ["get", "get --json", "status", "watch --initial --count 5", "doctor", "--help", "get --help"])
    func lostOutputIsAFailure(command: String) throws {
        let full = try bus.shell("$R \(command) >/dev/full")
        #expect(full.code == 74)
        #expect(full.errors == "reveille: write stdout: No space left on device (ENOSPC)\n")
        let closed = try bus.shell("$R \(command) >&-")
        #expect(closed.code == 74)
        #expect(closed.errors == "reveille: write stdout: Bad file descriptor (EBADF)\n")
        #expect(try bus.shell("$R \(command) >/dev/null 2>&- <&-").code == 0)
    }

    @Test(arguments: ["", "trap '' PIPE; "]) func brokenPipeEndsTheProgramSilently(before: String) throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        let run = try RunningProgram(
            ["-c", before + #"exec "$0" watch --initial --address "$1""#, BusProcess.program, bus.address],
            program: "sh", in: bus.directory, descriptors: [1: ends[1]])
        close(ends[1])
        try wait(for: "the process to end") { run.process.hasEnded }
        #expect(run.process.exitCode == 128 + SIGPIPE)
        #expect(run.errors.isEmpty)
    }

    @Test func nonBlockingOutputIsWrittenCompletely() throws {
        // The output exceeds the capacity of a pipe.
        let keys = (0..<20_000).map { "key\($0)=1" }.joined(separator: "\n")
        try bus.directory.write("[a]\n" + keys + "\n", to: "root/home/u/.config/many.conf")
        try bus.client().call("Refresh")
        let pipe = try Pipe()
        let process = try ChildProcess(
            [BusProcess.program, "get", "defaults", "--json", "--address", bus.address],
            descriptors: [1: pipe.writable])
        pipe.closeWritingEnd()
        try wait(for: "a full pipe") {
            var waiting: Int32 = 0
            return ioctl(pipe.readingEnd, UInt(FIONREAD), &waiting) == 0 && waiting >= 65_536 || process.hasEnded
        }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(pipe.readingEnd, &buffer, buffer.count), count > 0 { text += buffer[..<count] }
        #expect(process.wait() == 0)
        #expect(text.last == UInt8(ascii: "\n"))
        let event = try JSON.parse(Array(text.dropLast()))
        #expect(event.objectValue?["defaults"]?.objectValue?["domains"]?.arrayValue?.isEmpty == false)
    }

    @Test func serviceContinuesAfterItsLogIsClosed() throws {
        let directory = try TemporaryDirectory()
        var pipe: Pipe? = try Pipe()
        let process = try ChildProcess(
            [BusProcess.program, "serve", "--address", "unix:\(directory.path)/bus", "--root", directory.path],
            descriptors: [2: try #require(pipe).writable])
        pipe?.closeWritingEnd()
        #expect(pipe?.waitForWake() == true, "the service logs its address")
        pipe = nil
        // Each of these causes a log line.
        for _ in 0..<3 { try RawClient(directory.path + "/bus").send("no call") }
        try wait(for: "a reply after the log is closed") {
            guard !process.hasEnded else { throw Trouble("the service ended: \(process.exitCode ?? -1)") }
            return try RawClient(directory.path + "/bus").call("GetState").error == nil
        }
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
    }

    @Test func serviceContinuesDespiteAFileSizeLimit() throws {
        let bus = try BusProcess(launcher: ["sh", "-c", #"ulimit -f 0; exec "$0" "$@""#])
        try bus.client().post(level: 0.5)
        #expect(try bus.client().call("GetState").error == nil)
        #expect(bus.stop() == 0)
    }

    @Test func fullLogPipeDoesNotBlockTheService() throws {
        let directory = try TemporaryDirectory()
        let pipe = try Pipe()
        let filler = [UInt8](repeating: UInt8(ascii: "x"), count: 4_096)
        while write(pipe.writable, filler, filler.count) > 0 {}
        _ = fcntl(pipe.writable, F_SETFL, 0)
        let process = try ChildProcess(
            [BusProcess.program, "serve", "--address", "unix:\(directory.path)/bus", "--root", directory.path],
            descriptors: [2: pipe.writable])
        pipe.closeWritingEnd()
        // The path exists before the bus listens.
        try wait(for: "a socket") { (try? RawClient(directory.path + "/bus")) != nil }
        #expect(try RawClient(directory.path + "/bus").call("GetState").error == nil)
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
        withExtendedLifetime(pipe) {}
    }

    /// Characters that control a terminal or hide other text.
    private static let hostile = "a\u{1B}[2Jb\u{9B}31mc\u{7F}d\u{202E}e\u{2066}f\u{85}g"

    @Test func namesDoNotControlTheTerminal() throws {
        let name = JSON.string(Self.hostile + "\n\r").description
        let subscriber = try bus.subscribe(#"{"name":\#(name)}"#)
        let domain = #"{"domain":\#(name),"path":\#(name),"keys":[\#(name)],"opaque":false}"#
        try bus.client().call("Post", #"{"defaults":{"domains":[\#(domain)]}}"#)
        _ = subscriber
        for command in ["status", "get", "get defaults", "watch --initial --count 5"] {
            let run = try bus.shell("$R \(command)")
            #expect(run.code == 0)
            #expect(
                run.output.contains(#"a\u{1B}[2Jb\u{9B}31mc\u{7F}d\u{202E}e\u{2066}f\u{85}g\n\r"#), "\(run.output)")
            #expect(Self.controls(in: run.output) == ["\n"])
        }
        for command in ["status --json", "get --json", "call ListSubscriptions"] {
            let run = try bus.shell("$R \(command)")
            #expect(Self.controls(in: run.output) == ["\n"], "\(run.output)")
            let lines = run.output.split(separator: "\n")
            #expect(try lines.map { try JSON.parse(Array($0.utf8)).description }.joined().contains(name))
        }
    }

    @Test func errorsDoNotControlTheTerminal() throws {
        for command in ["get --address", "hold", "get", "serve --config", "call"] {
            let run = try bus.run(command.split(separator: " ").map(String.init) + ["/" + Self.hostile])
            #expect(run.code != 0)
            #expect(run.errors.contains(#"[2Jb\u{9B}31mc\u{7F}d\u{202E}e"#), "\(command): \(run.errors)")
            #expect(Self.controls(in: run.errors) == ["\n"])
        }
    }

    @Test func logDoesNotControlTheTerminal() throws {
        let service = try RunningProgram(
            ["serve", "--address", "unix:\(bus.directory.path)/\(Self.hostile)"], in: bus.directory,
            environment: ["XDG_CONFIG_HOME": bus.directory.path])
        try wait(for: "a line") { service.errors.contains("serving") }
        #expect(Self.controls(in: service.errors) == ["\n"])
        service.stop()
    }

    private static func controls(in text: String) -> Set<Unicode.Scalar> {
        Set(text.unicodeScalars.filter { $0.properties.generalCategory == .control || $0.properties.isBidiControl })
    }
}
