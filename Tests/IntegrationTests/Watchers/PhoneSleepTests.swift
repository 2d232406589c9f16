// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing

@Suite("The sleep of a phone", .blocking)
struct PhoneSleepTests {
    @Test("a scenario lets the phone sleep: both halves while awake, one event for the sleeps of a sleeper")
    func scenario() throws {
        let scenario = """
            wait subscribed
            sleep 28800
            expect sleep awake changes 1
            expect sleep sleptFor 28800
            background
            sleep 5
            sleep 7.5
            foreground
            expect sleep sleptFor 7.5 changes 4
            restart
            sleep 1
            expect sleep sleptFor 1 changes 1
            end
            """
        let run = try SimulateScene().simulate(scenario, [BusProcess.program, "watch", "sleep"])
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("preparing") && run.output.contains("awake, slept for 28800 s"), "\(run.output)")
        #expect(run.output.contains("4 changes"), "\(run.output)")
    }

    @Test("a sleep waits until a task has ended")
    func task() throws {
        let program = BusProcess.program
        let script = "\(program) watch sleep --count 1; \(program) get sleep"
        let run = try SimulateScene().simulate(
            "wait subscribed\nlevel 0.5\nwait subscribed 2\nsleep 60\nexpect sleep awake",
            [
                program, "on", "battery", "level < 0.6", "--count", "1", "--", program, "task", "save", "--", "sh",
                "-c", script,
            ])
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.ranges(of: "preparing").count == 2, "\(run.output)")
    }

    @Test("a phone without a bus does not sleep, and no sleep is longer than a year")
    func refusals() throws {
        let phone = try SyntheticPhone()
        #expect(throws: TestbedError.self) { try phone.sleep(for: .seconds(1)) }
        let bus = try phone.startBus()
        #expect(throws: TestbedError.self) { try phone.sleep(for: .seconds(-1)) }
        #expect(throws: TestbedError.self) { try phone.sleep(for: .seconds(Int64.max)) }
        try phone.sleep(for: .seconds(31_536_000))
        bus.kill()
        try phone.sleep(for: .seconds(1))
    }
}
