// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

extension CommandTests {
    private func program(_ name: String, in cgroup: TemporaryCgroup? = nil) throws -> StreamProcess {
        let program = try StreamProcess(bus, #"{"aspects":["battery","lifecycle"],"name":"\#(name)"}"#)
        try cgroup?.add(program.process)
        return program
    }

    private func held(_ name: String) throws -> JSON? { try bus.subscription(named: name)?["held"] }

    @Test(
        "suspend freezes a program after its lifecycle event; wake thaws the program, and one event is delivered",
        .enabled(if: TemporaryCgroup.canBeMade, "no cgroup v2 with a freezer can be made here"))
    func programIsFrozenAndThawed() throws {
        let cgroup = try TemporaryCgroup()
        let program = try program("mail", in: cgroup)
        let outside = try self.program("bar")
        defer { withExtendedLifetime(outside) {} }
        let check = try bus.run(["check", "suspend"])
        #expect(check.output.contains(#/\n  mail +yes\n/#), "\(check.output)")
        // Its cgroup is the one of the tests, which has other programs, or the service manager.
        #expect(check.output.contains(#/\n  bar +no   \S/#), "\(check.output)")
        let suspension = try bus.run(["suspend", "mail"])
        #expect(suspension.code == 0 && suspension.output == "" && suspension.errors == "", "\(suspension.errors)")
        try bus.waitForSubscription("mail", heldBy: ["operator", "frozen"])
        let poster = try bus.client()
        for level in 1...3 { try poster.post(level: Double(level) / 10) }
        let again = try bus.run(["suspend", "mail"])
        #expect(again.code == 0 && again.output == "" && again.errors == "")

        let resumption = try bus.run(["wake", "mail"])
        #expect(resumption.code == 0 && resumption.output == "" && resumption.errors == "", "\(resumption.errors)")
        try wait(for: "the events of the wake") { try program.delivered.last?.count == 2 }
        let states = try program.delivered.joined().compactMap { $0.state(of: "lifecycle") }
        #expect(states == ["background", "suspended", "active"])
        #expect(try program.delivered.last?.last?.integer("changes") == 3)
    }

    @Test("a program that cannot be frozen is in the background all the same, and the reason is printed")
    func reasonIsPrinted() throws {
        let program = try program("mail")
        let suspension = try bus.run(["suspend", "mail"])
        #expect(suspension.code == 1)
        #expect(suspension.output == "")
        #expect(suspension.errors.hasPrefix("reveille: "), "\(suspension.errors)")
        #expect(suspension.errors.contains("CannotSuspend"), "\(suspension.errors)")
        #expect(suspension.errors.split(separator: "\n").count == 1)
        try bus.waitForSubscription("mail", heldBy: ["operator"])
        let resumption = try bus.run(["wake", "mail"])
        #expect(resumption.code == 0 && resumption.output == "" && resumption.errors == "", "\(resumption.errors)")
        try wait(for: "the events") { try program.delivered.joined().count == 2 }
        let states = try program.delivered.joined().compactMap { $0.state(of: "lifecycle") }
        #expect(states == ["background", "active"])
    }

    @Test("wrong use is reported", arguments: ["suspend", "wake"]) func wrongUseIsReported(command: String) throws {
        let program = try program("mail")
        defer { withExtendedLifetime(program) {} }
        let unknown = try bus.run([command, "music"])
        #expect(unknown.code != 0)
        #expect(unknown.errors.contains("music"), "\(unknown.errors)")
        #expect(try bus.run([command]).code == 64)
        #expect(try bus.run([command, "mail", "--wake-after", "soon"]).code == 64)
        #expect(try held("mail") == [])
    }
}

extension JSONObject {
    /// The word of a state with one, in an event of an aspect; `nil` for an event of another aspect.
    fileprivate func state(of aspect: String) -> String? {
        self[aspect]?.objectValue?["state"]?.stringValue
    }
}
