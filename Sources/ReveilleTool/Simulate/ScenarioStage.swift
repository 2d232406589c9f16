// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem
import ReveilleTesting
import Varlink

/// The phone of a scenario and its bus: does a step that takes no time.
final class ScenarioStage {
    let phone: SyntheticPhone
    private let bus: PhoneBus
    private let address: UnixAddress

    init() throws {
        phone = try SyntheticPhone()
        bus = try phone.startBus()
        address = try UnixAddress(bus.address)
    }

    /// Does a step; nothing for those that wait or concern the program.
    func perform(_ step: ScenarioStep) throws {
        switch step {
        case .level(let level, let number): try battery(number).setLevel(level)
        case .plug: try phone.plugIn()
        case .unplug: try phone.unplug()
        case .rotate(let pose): try phone.rotate(to: pose)
        case .near(let isNear): try phone.setNear(isNear)
        case .locale(let name): try phone.setLocale(name)
        case .settings(let name, let text): try phone.writeSettings(text, to: name)
        case .add(.battery(phone.batteries.count + 1)): try phone.addBattery()
        case .add(let part): try device(part).insert()
        case .remove(let part): try device(part).remove()
        case .background: try setStates("background")
        case .foreground: try setStates("foreground")
        case .restart: try bus.restart()
        case .start, .wait, .waitSubscribed, .waitDelivered, .burst, .end: break
        }
    }

    /// How many subscriptions there are.
    func subscriptionCount() throws -> Int {
        try subscriptions().count
    }

    /// Makes the bus read everything now.
    func refresh() throws {
        _ = try BusClient(address).call("Refresh")
    }

    /// Whether each subscription that is not asleep has read all that changed.
    func isDelivered() throws -> Bool {
        try subscriptions().allSatisfy { subscription in
            let held = subscription["held"]?.arrayValue?.compactMap(\.stringValue) ?? []
            guard held.allSatisfy({ $0 == "unread" }) else { return true }
            return held.isEmpty && subscription["pending"]?.arrayValue?.isEmpty != false
        }
    }

    private func subscriptions() throws -> [JSONObject] {
        try BusClient(address).call("ListSubscriptions")["subscriptions"]?.arrayValue?.compactMap(\.objectValue) ?? []
    }

    private func setStates(_ state: String) throws {
        for subscription in try subscriptions() {
            _ = try BusClient(address).call(
                "SetState", ["subscription": subscription["subscription"] ?? "", "state": .string(state)])
        }
    }

    private func battery(_ number: Int) throws -> SyntheticBattery {
        let count = phone.batteries.count
        guard number <= count else {
            throw Failure(.configuration, "there is no battery\(number); the next to add is battery\(count + 1)")
        }
        return phone.batteries[number - 1]
    }

    private func device(_ part: ScenarioPart) throws -> SyntheticPart {
        switch part {
        case .battery(let number): try battery(number)
        case .charger: phone.charger
        case .accelerometer: phone.accelerometer
        case .proximity: phone.proximitySensor
        }
    }
}
