// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleTesting
import Testing
import Varlink

/// The battery as a subscriber of a real bus receives it.
///
/// The bus has the default configuration, in which a change of the level alone may wait for a minute. A subscriber of
/// these tests waits for ten seconds at most.
@Suite(.blocking, .timeLimit(.minutes(10))) struct BatteryTests {
    let phone: SyntheticPhone

    init() throws {
        phone = try SyntheticPhone()
    }

    /// Subscribes and receives a first change of the level, which starts the interval.
    private func subscriber(of bus: BusProcess, after level: Double) throws -> Subscriber {
        let subscriber = try bus.subscribe(#"{"aspects":["battery"]}"#)
        try phone.battery.setLevel(level)
        try subscriber.wait(for: "battery") { $0["level"]?.numberValue == level }
        return subscriber
    }

    @Test func firstReplyHasTheNewestLevelWithoutAnEventOfTheDriver() throws {
        let bus = try BusProcess(phone: phone)
        let subscriber = try subscriber(of: bus, after: 0.79)
        try #require(phone.battery.device).set("capacity", "77")
        let other = try bus.subscribe(#"{"aspects":["battery"],"initial":true}"#)
        #expect(other.initialEvents.first?["battery"]?.objectValue?["level"] == 0.77)
        try subscriber.wait(for: "battery") { $0["level"] == 0.77 }
        try #require(phone.battery.device).set("capacity", "76")
        #expect(try bus.client().call("Refresh").error == nil)
        try subscriber.wait(for: "battery") { $0["level"] == 0.76 }
        try other.wait(for: "battery") { $0["level"] == 0.76 }
    }

    @Test func statusThatIsUnknownAtTheStartIsReadAgainSoon() throws {
        try phone.charger.remove()
        let pack = try #require(phone.battery.device)
        try pack.set("status", "Unknown")
        let bus = try BusProcess(
            configuration: "{ battery: { pollInterval: 3600, settleInterval: 0.1 } }", phone: phone)
        let subscriber = try bus.subscribe(#"{"aspects":["battery"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["battery"]?.objectValue?["state"] == "unknown")
        try pack.set("status", "Charging")
        try subscriber.wait(for: "battery") { $0["state"] == "charging" }
    }

    @Test func attributesThatBecomeOthersAreFound() throws {
        try phone.battery.remove()
        let pack = try phone.testbed.add(
            subsystem: "power_supply", name: "BAT1",
            attributes: [
                "type": "Battery", "status": "Discharging", "charge_now": "1000000", "charge_full": "2000000",
            ],
            properties: ["POWER_SUPPLY_NAME": "BAT1"])
        let bus = try BusProcess(configuration: "{ battery: { pollInterval: 3600 } }", phone: phone)
        let subscriber = try bus.subscribe(#"{"aspects":["battery"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["battery"]?.objectValue?["level"] == 0.5)
        var levels: [Double] = []
        func change(_ attributes: [String: String], removing removed: [String] = []) throws {
            for name in removed { unlink(phone.testbed.root + pack.path + "/" + name) }
            try pack.set(attributes)
            try pack.uevent("change")
            let event = try #require(try subscriber.next().first)
            levels.append(event["battery"]?.objectValue?["level"]?.numberValue ?? -1)
        }
        try change(["energy_now": "30", "energy_full": "50"], removing: ["charge_now", "charge_full"])
        try change(["capacity": "70"])
        try change(["energy_now": "40"], removing: ["capacity"])
        // A gauge reports 0 until it is calibrated.
        try change(["capacity": "0", "charge_now": "9", "charge_full": "10"], removing: ["energy_now", "energy_full"])
        #expect(levels == [0.6, 0.7, 0.8, 0.9])
    }
}
