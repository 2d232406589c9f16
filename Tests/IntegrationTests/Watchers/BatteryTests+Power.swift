// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleTesting
import Testing
import Varlink

/// The energy and the power of the battery as a client of a real bus receives them.
extension BatteryTests {
    @Test func powerIsDeliveredByName() throws {
        try phone.battery.setPower(-3)
        let bus = try BusProcess(phone: phone)
        let everything = try bus.subscribe(#"{"initial":true}"#)
        #expect(everything.initialEvents.count == 5)
        #expect(try bus.description(of: "power")["monitored"] == false)
        let subscriber = try bus.subscribe(#"{"aspects":["power"],"initial":true}"#)
        let initial = subscriber.initialEvents.first?["power"]?.objectValue
        #expect(initial?["power"]?.numberValue == -3)
        #expect(initial?["energy"]?.numberValue == 12)
        #expect(initial?["health"] == 0.9)
        #expect(initial?["timeToEmpty"] == 14_400)
        #expect(initial?["packs"]?.arrayValue?.first?.objectValue?["vendor"] == "Reveille")
        try phone.battery.setPower(5)
        // The event of the charger leads to a sample.
        try phone.plugIn()
        try subscriber.wait(for: "power") { $0["power"]?.numberValue == 5 && $0["timeToFull"] == 2_160 }
    }

    @Test func deviceWithoutABatteryHasNoPower() throws {
        let bus = try BusProcess()
        let power = try bus.client().state(of: "power")["power"]?.objectValue
        #expect(power?["power"] == .null)
        #expect(power?["packs"] == [])
        #expect(try bus.description(of: "power")["reason"] == "no battery in /sys/class/power_supply")
    }

    static let lies: [[String: String]] = [
        ["energy_now": "1000000000000000000", "energy_full": "0", "power_now": "-9223372036854775808"],
        ["energy_now": "9223372036854775807", "energy_full": "1", "power_now": "9223372036854775807"],
        ["charge_now": "1e308", "charge_full": "1e308", "voltage_now": "1e308", "current_now": "-1e308"],
        ["power_now": "NaN", "cycle_count": "-1", "temp": "99999999999999999999", "technology": "\u{1B}[2J\u{7}"],
        ["power_now": "", "energy_now": "\n\n", "manufacturer": String(repeating: "é", count: 2_000)],
    ]

    @Test(arguments: lies) func driverThatLiesHarmsNothing(attributes: [String: String]) async throws {
        try #require(phone.battery.device).set(attributes)
        let bus = try BusProcess(phone: phone)
        let subscriber = try bus.subscribe(#"{"aspects":["power","battery"],"initial":true}"#)
        let power = subscriber.initialEvents.first { $0.aspect == "power" }?["power"]?.objectValue
        for field in ["power", "energy", "energyFull", "health", "timeToEmpty", "timeToFull"] {
            #expect(power?[field] == .null, "\(field)")
        }
        try phone.battery.setLevel(0.3)
        try subscriber.wait(for: "battery") { $0["level"] == 0.3 }
        let doctor = try await phone.run([BusProcess.program, "doctor"])
        #expect(doctor.output.contains("the power is unknown"))
        #expect(bus.stop() == 0)
    }

    @Test func scenarioSetsThePower() throws {
        let scenario = """
            power -3
            start
            wait subscribed
            expect power power -3
            expect power energy 12
            background
            power 5
            plug
            foreground
            expect power 5
            expect power timeToEmpty unknown
            expect power timeToFull 2160
            add battery2
            expect power energy unknown
            power 2.5 battery2
            end
            """
        let run = try SimulateScene().simulate(scenario, [BusProcess.program, "watch", "power"])
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("5.0 W, 12.0 of 15.0 Wh, full in 0:36"))
    }
}
