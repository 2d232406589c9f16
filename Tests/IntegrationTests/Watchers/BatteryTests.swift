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

    @Test func answersHaveTheNewestLevelDuringTheInterval() throws {
        let bus = try BusProcess(phone: phone)
        let subscriber = try subscriber(of: bus, after: 0.79)
        let generation = try #require(try bus.client().state(of: "battery")["generation"]?.integerValue)
        try phone.battery.setLevel(0.78)
        let answer = try bus.client().state(of: "battery")
        #expect(answer["battery"]?.objectValue?["level"] == 0.78)
        #expect(answer["generation"]?.integerValue == generation + 1)
        // A change that was found by asking is a change for every subscriber.
        let event = try #require(try subscriber.next().first)
        #expect(event["battery"]?.objectValue?["level"] == 0.78)
        #expect([event["generation"]?.integerValue, event["changes"]?.integerValue] == [generation + 1, 1])
    }

    @Test("the kind of supply is a field for subscribers that ask for it, and each new kind is a change")
    func supplyIsAskedFor() throws {
        let supplies = try ["Mains", "Wireless"].map { type in
            try phone.testbed.add(
                subsystem: "power_supply", name: type, attributes: ["type": type, "online": "0"])
        }
        let bus = try BusProcess(phone: phone)
        let old = try bus.subscribe(#"{"aspects":["battery"],"initial":true}"#)
        let new = try bus.subscribe(#"{"aspects":["battery"],"fields":["battery.supply"]}"#)
        for (supply, word) in zip(supplies, ["mains", "wireless"]) {
            try supply.set("online", "1")
            try supply.uevent("change")
            try new.wait(for: "battery") { $0["supply"] == .string(word) }
        }
        try phone.plugIn()
        let event = try new.wait(for: "battery") { $0["supply"] == "usb" }
        let last = try old.wait(for: "battery") { $0["chargeStatus"] == "charging" }
        #expect(last["generation"] == event["generation"])
        #expect(last["battery"]?.objectValue?["supply"] == nil)
        #expect(try bus.client().state(of: "battery")["battery"]?.objectValue?["supply"] == nil)
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

    @Test func energyShowsWhetherAPackWithoutAStatusIsPluggedIn() throws {
        try phone.charger.remove()
        let pack = try #require(phone.battery.device)
        try pack.set(["status": "Unknown", "energy_now": "30000000"])
        let bus = try BusProcess(configuration: "{ battery: { pollInterval: 1 } }", phone: phone)
        let subscriber = try bus.subscribe(#"{"aspects":["battery"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["battery"]?.objectValue?["state"] == "unknown")
        // Polls compare readings that are fifteen seconds apart.
        try pack.set("energy_now", "29900000")
        try subscriber.wait(for: "battery") { $0["state"] == "unplugged" }
    }
}
