// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// B66, B67: the permissions of other users.
@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "only root can switch users"))
struct PermissionTests {
    /// Runs the program as another user, with access to nothing but the bus.
    private func run(_ arguments: [String], on bus: BusProcess) throws -> ProgramRun {
        try OtherUser.run(
            [OtherUser.program(in: bus.directory)] + arguments, in: bus.directory,
            environment: ["REVEILLE_ADDRESS": bus.address])
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
        #expect(try bus.client().state(of: "proximity")["proximity"] == ["state": "unknown"])
    }

    @Test("B66: another user cannot hold a subscription") func otherUserCannotHold() throws {
        let bus = try BusProcess()
        let subscriber = try bus.subscribe()
        #expect(try run(["background", subscriber.id], on: bus).code == 77)
        try bus.client().post(level: 0.5)
        #expect(try subscriber.next().map(\.level) == [0.5])
    }

    @Test("B63, B64, B65: the open connections of a user are limited, but not root's")
    func connectionsOfAUserAreLimited() throws {
        let bus = try BusProcess(configuration: "{ bus: { connectionsPerUser: 1 } }")
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
        let two = try OtherUser.run(["/usr/bin/python3", "-c", script, bus.socket], in: bus.directory)
        #expect(two.output == "True\nTrue True\n", "\(two.errors)")
        #expect(try run(["get", "proximity"], on: bus).code == 0)
        #expect(try bus.client().call("GetState").error == nil, "root is exempt")
    }
}
