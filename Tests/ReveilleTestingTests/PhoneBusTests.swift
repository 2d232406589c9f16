// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleTesting
import Testing
import Varlink

@Suite(.timeLimit(.minutes(5))) struct PhoneBusTests {
    @Test("a program's output, errors and exit code are returned") func programRuns() async throws {
        let phone = try SyntheticPhone()
        let result = try await phone.run(["sh", "-c", "echo out; echo err >&2; exit 3"])
        #expect(result.exitCode == 3)
        #expect(result.output == "out\n")
        #expect(result.errors == "err\n")
        #expect(try await phone.run(["sh", "-c", "kill -TERM $$"]).exitCode == 128 + SIGTERM)
        await #expect(throws: TestbedError.self) { try await phone.run(["/there/is/no/such/program"]) }
        let late = await #expect(throws: TestbedError.self) {
            try await phone.run(["sleep", "1000"], timeout: .milliseconds(1))
        }
        #expect(late?.description == "wait for the end sleep: Connection timed out (ETIMEDOUT)")
    }

    @Test("a program sees the phone's devices, home and bus, and additional variables")
    func programSeesThePhone() async throws {
        let phone = try SyntheticPhone()
        let bus = try phone.startBus()
        try phone.battery.setLevel(0.2)
        let script = """
            cat /sys/class/power_supply/battery/capacity ~/.config/settings.json
            echo; echo "$REVEILLE_ADDRESS"; echo "$MORE"
            """
        let result = try await phone.run(["sh", "-c", script], environment: ["MORE": "more"])
        #expect(result.output == "20\n{}\n\(bus.address)\nmore\n")
    }

    @Test("an error in a configuration is reported") func wrongConfigurationIsRejected() throws {
        let phone = try SyntheticPhone()
        let error = #expect(throws: TestbedError.self) { try phone.startBus(configuration: "{ batery: {} }") }
        #expect(error?.description.contains("batery") == true)
    }

    @Test("a phone rejects a second bus") func secondBusIsRejected() async throws {
        let phone = try SyntheticPhone()
        let bus = try phone.startBus()
        #expect(throws: TestbedError.self) { try phone.startBus() }
        _ = try await PhoneObserver(phone: phone, bus: bus).reveille("get")
    }

    @Test("a restarted bus continues with its earlier state, killed or not", arguments: [false, true])
    func restartedBusContinues(isKilled: Bool) async throws {
        let phone = try SyntheticPhone()
        let bus = try phone.startBus()
        let observer = PhoneObserver(phone: phone, bus: bus)
        try phone.battery.setLevel(0.3)
        #expect(try await observer.state(of: "battery")["level"]?.numberValue == 0.3)
        if isKilled { bus.kill() } else { #expect(bus.stop() == 0) }
        try phone.battery.setLevel(0.2)
        try bus.restart()
        #expect(try await observer.state(of: "battery")["level"]?.numberValue == 0.2)
        #expect(bus.log.contains("serving"))
    }

    @Test("a test waits until a program has subscribed and has read all changes") func testWaits() async throws {
        let phone = try SyntheticPhone()
        let bus = try phone.startBus()
        let error = await #expect(throws: ReveilleError.self) { try await bus.waitUntilSubscribed(atMost: .zero) }
        #expect(error?.code == .timeout)
        #expect(error?.description.hasPrefix("subscriptions: 0, expected 1") == true)
        let device = try await Device.connect(to: bus.address)
        let awake = try await device.subscribe(to: [.battery])
        let asleep = try await device.subscribe(to: [.battery])
        try await asleep.enterBackground()
        try await bus.waitUntilSubscribed(2)
        for percent in 1...10 { try phone.battery.setLevel(Double(percent) / 100) }
        try await bus.waitUntilDelivered()
        #expect(try await device.shell.subscriptions().map(\.changeCount).sorted() == [0, 10])
        withExtendedLifetime((awake, asleep)) {}
    }

    @Test("a timeout names the program with unread changes") func timeoutNamesTheProgram() async throws {
        let phone = try SyntheticPhone()
        let bus = try phone.startBus()
        let reader = try RunningExample("StatusLine", on: phone)
        #expect(reader.nextLine() != nil)
        reader.stop()
        try phone.battery.setLevel(0.5)
        try phone.battery.setLevel(0.4)
        let error = await #expect(throws: ReveilleError.self) { try await bus.waitUntilDelivered(atMost: .zero) }
        #expect(error?.description.contains("status line, pid ") == true)
        reader.resume()
        try await bus.waitUntilDelivered()
    }

    @Test("a bus ends with its last reference") func busEndsWithItsReference() throws {
        let phone = try SyntheticPhone()
        var bus: PhoneBus? = try phone.startBus()
        let pid = try #require(bus?.processIdentifier)
        #expect(kill(pid, 0) == 0)
        bus = nil
        #expect(kill(pid, 0) == -1)
    }
}
