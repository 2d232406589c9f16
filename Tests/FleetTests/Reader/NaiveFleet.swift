// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import ReveilleSimulation
import Varlink

/// A fleet with all its changes, the broker with its newest messages, and a consumer that knows only its events.
struct NaiveFleet {
    struct Key: Hashable {
        let device: DeviceID
        let aspect: String
    }

    /// What a consumer has seen of an aspect.
    struct Seen: Equatable {
        let instance: String
        let generation: Int64
    }

    let devices: [DeviceID]
    let aspects: [String]
    /// The bus of each device; its number is in its name.
    private(set) var lives: [DeviceID: Int] = [:]
    private(set) var changes: [Key: [String: Set<Int64>]] = [:]
    /// The generation of each aspect on the current bus.
    private(set) var generations: [Key: Int64] = [:]
    private(set) var retained: [Key: StateMessage] = [:]
    private(set) var statuses: [DeviceID: StatusMessage] = [:]

    init(devices: Int, aspects: Int) throws {
        self.devices = try (0..<devices).map { try DeviceID("device-\($0)") }
        self.aspects = (0..<aspects).map { "aspect-\($0)" }
        for device in self.devices { replaceBus(of: device) }
    }

    var keys: [Key] { devices.flatMap { device in aspects.map { Key(device: device, aspect: $0) } } }

    /// Gives a device another bus, which counts anew, and publishes its birth.
    mutating func replaceBus(of device: DeviceID) {
        lives[device, default: 0] += 1
        for aspect in aspects { generations[Key(device: device, aspect: aspect)] = 0 }
        statuses[device] = StatusMessage(isOnline: true, instance: instance(of: device), aspects: aspects)
    }

    func instance(of device: DeviceID) -> String { "bus-\(lives[device] ?? 0)" }

    /// Changes an aspect, each change being known, and publishes the newest.
    mutating func change(_ key: Key, count: Int) -> StateMessage {
        let instance = instance(of: key.device)
        let first = (generations[key] ?? 0) + 1
        let last = first + Int64(count) - 1
        changes[key, default: [:]][instance, default: []].formUnion(first...last)
        generations[key] = last
        // The number in the message is relative to what the broker acknowledged, and useless to a reader.
        let state = StateMessage(
            instance: instance, generation: last, changes: min(last, 1), changedAt: LedgerScene.time,
            value: ["text": .string("\(instance) \(last)")])
        retained[key] = state
        return state
    }

    /// Checks an event against all changes, and returns what the consumer has seen then.
    func check(_ event: DeviceEvent, after seen: Seen?, isRemoved: Bool) throws -> Seen {
        let key = Key(device: event.device, aspect: event.aspect)
        let known = changes[key]?[event.instance] ?? []
        guard known.contains(event.generation) else { throw Broken("\(event) never was") }
        guard event.value == ["text": .string("\(event.instance) \(event.generation)")] else {
            throw Broken("\(event) has the value of another state")
        }
        if let seen, seen.instance == event.instance {
            guard event.generation > seen.generation || isRemoved && event.generation == seen.generation else {
                throw Broken("\(event) is not newer than \(seen)")
            }
            let count = known.count { $0 > seen.generation && $0 <= event.generation }
            guard event.changeCount == Int64(count) || event.changeCount == nil && event.isNewInstance else {
                throw Broken("\(event) has not \(count) changes after \(seen)")
            }
        } else {
            guard event.changeCount == nil else { throw Broken("\(event) counts from another bus than \(seen as Any)") }
            guard event.isNewInstance == (seen != nil) else { throw Broken("\(event) after \(seen as Any)") }
        }
        return Seen(instance: event.instance, generation: event.generation)
    }
}
