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
        #expect(try run(["hold", subscriber.id], on: bus).code == 77)
        try bus.client().post(level: 0.5)
        #expect(try subscriber.next().map(\.level) == [0.5])
    }
}
