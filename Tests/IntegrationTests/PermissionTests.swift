// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// B66, B67: the permissions of other users.
@Suite(.timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "only root can switch users"))
struct PermissionTests {
    private static let nobody = "65534"

    /// Runs the program as another user, with access to nothing but the bus.
    private func run(_ arguments: [String], on bus: BusProcess) throws -> ProgramRun {
        let program = bus.directory.path + "/program"
        try ChildProcess(["cp", BusProcess.program, program], environment: ChildProcess.environment).wait()
        for path in [bus.directory.path, program] { chmod(path, 0o755) }
        let identity = ["--reuid", Self.nobody, "--regid", Self.nobody, "--clear-groups"]
        return try ProgramRun(
            identity + [program] + arguments, program: "setpriv", in: bus.directory,
            environment: ["REVEILLE_ADDRESS": "unix:" + bus.socket])
    }

    @Test func anyUserCanRead() throws {
        let bus = try BusProcess()
        #expect(try run(["get", "proximity"], on: bus).output == "proximity   unknown\n")
    }

    @Test("B67: another user cannot post") func otherUserCannotPost() throws {
        let bus = try BusProcess()
        let run = try run(["post", "proximity", "near"], on: bus)
        #expect(run.code == 77)
        #expect(run.errors.contains("PermissionDenied"))
        let state = try bus.client().call("GetState", #"{"aspects":["proximity"]}"#).parameters
        #expect(state["events"]?.arrayValue?.first?.objectValue?["proximity"] == ["state": "unknown"])
    }

    @Test("B66: another user cannot hold a subscription") func otherUserCannotHold() throws {
        let bus = try BusProcess()
        let subscriber = try bus.subscribe()
        #expect(try run(["background", subscriber.id], on: bus).code == 77)
        try bus.client().post(level: 0.5)
        #expect(try subscriber.next().map(\.level) == [0.5])
    }

    @Test("B63, B64, B65: the open connections of a user are limited, but not those of root")
    func connectionsOfAUserAreLimited() throws {
        let bus = try BusProcess(configuration: "{ bus: { connectionsPerUser: 1 } }")
        chmod(bus.directory.path, 0o755)
        let first = try run(["get", "proximity"], on: bus)
        #expect(first.code == 0)
        let script = """
            import socket, sys
            def call():
                s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
                s.sendall(b'{"method":"org.reveille.Bus.GetState","parameters":{"aspects":["proximity"]}}\\0')
                return s, s.recv(4096)
            first, answer = call(); print(b'unknown' in answer)
            second, refusal = call(); print(b'QuotaExceeded' in refusal and b'"limit":1' in refusal, second.recv(1) == b'')
            """
        try bus.directory.write(script, to: "two.py")
        let identity = ["--reuid", Self.nobody, "--regid", Self.nobody, "--clear-groups", "/usr/bin/python3"]
        let two = try ProgramRun(
            identity + [bus.directory.path + "/two.py", bus.socket], program: "setpriv", in: bus.directory)
        #expect(two.output == "True\nTrue True\n", "\(two.errors)")
        #expect(try run(["get", "proximity"], on: bus).code == 0)
        #expect(try bus.client().call("GetState").error == nil, "root is exempt")
    }
}
