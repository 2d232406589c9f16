// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

/// Two of a satellite on one bus, of which each would withdraw what the other publishes.
@Suite(.blocking, .timeLimit(.minutes(10))) struct SecondSatelliteTests {
    private func start(_ name: String, on bus: BusProcess) throws -> RunningProgram {
        let program = try RunningProgram(
            [], program: ChildProcess.sibling(name), in: bus.directory, environment: environment(bus))
        try wait(for: "\(name): \(program.errors)") {
            guard !program.process.hasEnded else { throw Trouble("\(name) ended: \(program.errors)") }
            return bus.directory.read("reveille/org.reveille.Bus.\(name).lock") == "\(program.process.pid)\n"
        }
        return program
    }

    private func environment(_ bus: BusProcess) -> [String: String] {
        ["REVEILLE_ADDRESS": bus.address, "XDG_CONFIG_HOME": bus.directory.path]
    }

    @Test(
        "a second satellite is refused on the bus of the first, which it names, but not on another or after its end",
        arguments: ["reveille-dbus", "reveille-location"])
    func secondIsRefused(_ name: String) throws {
        let bus = try BusProcess()
        let first = try start(name, on: bus)
        let second = try ProgramRun(
            [], program: ChildProcess.sibling(name), in: bus.directory, environment: environment(bus))
        #expect(second.code == 75)
        let reason = "another \(name) (process \(first.process.pid)) publishes on \(bus.address)"
        #expect(second.errors.contains(reason), "\(second.errors)")
        #expect(!first.process.hasEnded)
        let other = try BusProcess()
        let elsewhere = try start(name, on: other)
        first.process.signal(SIGKILL)
        first.process.wait()
        let next = try start(name, on: bus)
        for program in [elsewhere, next] { program.stop() }
    }
}
