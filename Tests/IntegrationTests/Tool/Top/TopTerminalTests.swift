// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: Tmux.isAvailable, "no tmux: run Scripts/setup test"))
struct TopTerminalTests {
    private let phone: SyntheticPhone
    private let bus: BusProcess
    private let tmux: Tmux

    init() throws {
        phone = try SyntheticPhone()
        bus = try BusProcess(on: phone)
        tmux = try Tmux(
            columns: 120, rows: 24, in: bus.directory,
            environment: ["REVEILLE_ADDRESS": bus.address, "REVEILLE": BusProcess.program])
    }

    private func start(_ variables: String = "") throws {
        try tmux.press("stty -a >before; \(variables) $REVEILLE top; echo exit code $?", "Enter")
        try tmux.wait(for: "reveille top   ")
    }

    private func waitUntilHeld(_ reasons: [JSON]) throws {
        let client = try bus.client()
        try wait(for: "holds to be \(reasons)") { try client.subscriptions().first?["held"] == .array(reasons) }
    }

    /// Checks that the terminal is as it was before the program.
    private func expectRestored() throws {
        #expect(try tmux.property("alternate_on") == "0")
        #expect(try tmux.property("cursor_flag") == "1")
        #expect(try tmux.property("wrap_flag") == "1")
        try tmux.press("stty -a >after; cmp before after && echo equal modes", "Enter")
        try tmux.wait(for: "equal modes") { $0.hasSuffix("equal modes") && !$0.contains("echo") }
    }

    @Test func busIsShownAndChangedByKeys() throws {
        let subscriber = try RunningProgram(
            ["watch", "battery", "--json", "--name", "player", "--address", bus.address], in: bus.directory)
        try start()
        try tmux.wait(for: "the source of the battery") {
            $0.contains(#/^  battery +unplugged, 80% .* battery, charger/#)
        }
        #expect(try tmux.property("alternate_on") == "1" && tmux.property("cursor_flag") == "0")
        // Changes arrive, and the operator's key holds the subscriber.
        try phone.battery.setLevel(0.7)
        try tmux.wait(for: "the new level") { $0.contains(#/^  battery +unplugged, 70% .* ⢀ /#) }
        try tmux.wait(for: "> player")
        try tmux.press("h")
        try tmux.wait(for: "player is in the background")
        try waitUntilHeld(["operator"])
        try phone.battery.setLevel(0.6)
        try tmux.wait(for: "what waits") { $0.contains(#/^> player .* held: operator +battery 1 /#) }
        // Stopped, it leaves the terminal to the shell; continued, it draws everything again.
        try tmux.press("C-z")
        try tmux.wait(for: "the shell") { $0.contains("Stopped") }
        #expect(try tmux.property("alternate_on") == "0" && tmux.property("cursor_flag") == "1")
        try tmux.press("fg", "Enter")
        try tmux.wait(for: "> player")
        #expect(try tmux.property("alternate_on") == "1")
        try tmux.resize(columns: 60, rows: 24)
        try tmux.wait(for: "the narrow screen") { $0.contains(#/^  battery +unplugged, 60% [^,]*$/#) }
        try tmux.resize(columns: 10, rows: 24)
        try tmux.wait(for: "too small")
        try tmux.resize(columns: 120, rows: 24)
        try tmux.wait(for: "> player")
        try tmux.press("w")
        try tmux.wait(for: "player is in the foreground")
        try waitUntilHeld([])
        // The bus runs in the same cgroup, so it cannot be frozen.
        try tmux.press("s")
        try tmux.wait(for: "the reason") { $0.hasPrefix("player: SetState: CannotSuspend: ") }
        try tmux.press("q")
        // The shell has printed the exit code of the stopped program already.
        try wait(for: "the screen of the shell") { try tmux.property("alternate_on") == "0" }
        try expectRestored()
        #expect(subscriber.stop() == 0)
    }

    @Test func signalRestoresTheTerminal() throws {
        try start()
        try tmux.press("C-c")
        try tmux.wait(for: "exit code 0") { $0.hasSuffix("exit code 0") }
        try expectRestored()
        try tmux.press("clear", "Enter")
        try tmux.press("stty -a >before; sh -c 'echo $$ >pid; exec $REVEILLE top'; echo exit code $?", "Enter")
        try tmux.wait(for: "reveille top   ")
        let pid = try #require(Int32(bus.directory.read("pid").split(separator: "\n").first ?? ""))
        Glibc.kill(pid, SIGTERM)
        try tmux.wait(for: "exit code 0") { $0.hasSuffix("exit code 0") }
        try expectRestored()
    }
}
