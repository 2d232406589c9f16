// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleFleetCore
import ReveilleSimulation
import Varlink

/// Devices that exist as numbers: the true generation of each aspect, and the last one that a reader received.
struct VirtualFleet {
    /// A message of the broker.
    struct Message {
        var topic: String
        var payload: [UInt8]
        var isRetained: Bool
    }

    /// The aspects of each device.
    static let aspects = ["battery", "defaults", "network", "orientation", "proximity"]
    private static let values: [JSON] = [
        [
            "state": "unplugged", "level": 0.62, "plugged": false, "chargeStatus": "discharging",
            "packs": [["name": "BAT0", "level": 0.62, "chargeStatus": "discharging"]],
        ],
        [
            "domains": [
                ["domain": "org.example.desktop", "path": "/home/user/.config/desktop.conf", "keys": ["volume"]]
            ]
        ],
        ["interface": "wlan0", "kind": "wifi", "isReachable": true], ["pose": "portrait", "planar": "portrait"],
        ["proximity": "far"],
    ]
    /// 2026-01-01 in microseconds.
    private static let time: Int64 = 1_767_225_600_000_000
    /// The most changes of an aspect between two messages.
    private static let mostChanges: Int32 = 9

    /// The number of devices.
    let count: Int
    private var random: SplitMix64
    /// The number of times that a device lost its state.
    private var instances: ContiguousArray<UInt16>
    /// The true generations, of all aspects of a device together.
    private var generations: ContiguousArray<Int32>
    /// The instances and generations that the reader received; -1 before the first.
    private var seenInstances: ContiguousArray<UInt16>
    private var seen: ContiguousArray<Int32>
    /// The changes that the reader counted.
    private(set) var counted = 0
    /// The true changes between states that the reader received.
    private(set) var expected = 0

    /// Creates devices that have been in use for different times.
    init(count: Int, seed: UInt64) {
        self.count = count
        random = SplitMix64(seed: seed)
        instances = ContiguousArray(repeating: 0, count: count)
        let states = count * Self.aspects.count
        generations = ContiguousArray(repeating: 0, count: states)
        seenInstances = ContiguousArray(repeating: 0, count: states)
        seen = ContiguousArray(repeating: -1, count: states)
        for state in 0..<states { generations[state] = Int32.random(in: 1...50_000, using: &random) }
    }

    // MARK: - Messages

    /// The name of a device, as long as most identities are.
    static func name(_ device: Int) -> String { "device-" + String(10_000_000 + device).dropFirst() }

    /// The instance of a bus, which has 32 digits as the real ones.
    private func instance(_ device: Int, _ number: UInt16) -> String {
        String(decoding: digits(device, number), as: UTF8.self)
    }

    private func digits(_ device: Int, _ number: UInt16) -> [UInt8] {
        let halves = [UInt64(device) &* 0x9E37_79B9_7F4A_7C15 | 1 << 63, Self.firstInstance + UInt64(number)]
        return halves.flatMap { half in
            stride(from: 60, through: 0, by: -4).map { Self.hexadecimal[Int(half >> UInt64($0) & 0xF)] }
        }
    }

    /// The second half of a device's first instance.
    private static let firstInstance: UInt64 = 0x1000_0000_0000_0000
    private static let hexadecimal = Array("0123456789abcdef".utf8)

    /// The status of a device.
    func status(of device: Int) -> Message {
        let status = StatusMessage(
            isOnline: true, instance: instance(device, instances[device]), aspects: Self.aspects, version: "0.1.0")
        return Message(
            topic: "\(FleetTopic.root)/\(Self.name(device))/status", payload: status.bytes, isRetained: true)
    }

    /// The newest state of an aspect, or an earlier one.
    func message(_ device: Int, _ aspect: Int, isRetained: Bool, earlierBy age: Int32 = 0) -> Message {
        let generation = Int64(max(0, generations[device * Self.aspects.count + aspect] - age))
        return Message(
            topic: "\(FleetTopic.root)/\(Self.name(device))/state/\(Self.aspects[aspect])",
            payload: payload(device, aspect, generation), isRetained: isRetained)
    }

    /// The bytes of a ``StateMessage``, made in a tenth of the time.
    private func payload(_ device: Int, _ aspect: Int, _ generation: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(320)
        bytes += Self.members[0]
        bytes += digits(device, instances[device])
        bytes += Self.members[1]
        bytes += String(generation).utf8
        bytes += Self.members[2]
        // The reader must not trust the number of changes in a message.
        bytes += String(min(1, generation)).utf8
        bytes += Self.members[3]
        bytes += String(Self.time + generation).utf8
        bytes += Self.members[4]
        bytes += Self.valueBytes[aspect]
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    private static let members = [
        #"{"instance":""#, #"","generation":"#, #","changes":"#, #","changedAt":"#, #","value":"#,
    ].map { Array($0.utf8) }
    private static let valueBytes = values.map(\.bytes)

    /// Compares the payloads with those of the library.
    ///
    /// - Throws: `Broken` if they differ.
    func checkPayloads() throws(Broken) {
        for aspect in Self.aspects.indices {
            let generation = Int64(generations[aspect])
            let state = StateMessage(
                instance: instance(0, instances[0]), generation: generation, changes: min(1, generation),
                changedAt: Self.time + generation, value: Self.values[aspect])
            guard payload(0, aspect, generation) == state.bytes else {
                throw Broken("the payload of a virtual device is not '\(String(decoding: state.bytes, as: UTF8.self))'")
            }
        }
    }

    // MARK: - Life

    /// Changes an aspect some times, and returns the messages that the broker delivers: sometimes none as the reader
    /// was away, sometimes one twice, or an older one once more.
    mutating func change(_ device: Int, _ aspect: Int) -> [Message] {
        generations[device * Self.aspects.count + aspect] += Int32.random(in: 1...Self.mostChanges, using: &random)
        let message = message(device, aspect, isRetained: false)
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: return []
        case 2: return [message, message]
        case 3: return [message, self.message(device, aspect, isRetained: false, earlierBy: 1), message]
        default: return [message]
        }
    }

    /// Lets a device lose its state, and returns the messages of its new bus after its status.
    mutating func renew(_ device: Int) -> [Message] {
        instances[device] += 1
        let states = device * Self.aspects.count..<(device + 1) * Self.aspects.count
        for state in states { generations[state] = Int32.random(in: 0...3, using: &random) }
        var status = status(of: device)
        status.isRetained = false
        return [status] + Self.aspects.indices.map { message(device, $0, isRetained: false) }
    }

    // MARK: - Promise

    /// Compares an event with the truth.
    ///
    /// - Throws: `Broken` if it counts a change twice or not at all, or is older than what the reader has.
    mutating func check(_ event: DeviceEvent) throws(Broken) {
        guard let device = Int(event.device.text.dropFirst(7)), let aspect = Self.aspects.firstIndex(of: event.aspect),
            let word = UInt64(event.instance.suffix(16), radix: 16), word >= Self.firstInstance,
            let generation = Int32(exactly: event.generation)
        else { throw Broken("an event of an unknown state: \(event)") }
        let state = device * Self.aspects.count + aspect
        let instance = UInt16(word - Self.firstInstance)
        let isKnown = seen[state] >= 0 && seenInstances[state] == instance
        let changes: Int64? = isKnown ? Int64(generation - seen[state]) : nil
        guard event.changes == changes, changes ?? 1 > 0, event.isNewInstance == (!isKnown && seen[state] >= 0) else {
            throw Broken("generation \(generation) after \(seen[state]) has the wrong count: \(event)")
        }
        counted += Int(event.changes ?? 0)
        if isKnown { expected += Int(generation - seen[state]) }
        seen[state] = generation
        seenInstances[state] = instance
    }

    /// Compares all that the reader received with the truth.
    ///
    /// - Throws: `Broken` if the reader does not have the newest state of an aspect.
    func checkNewest() throws(Broken) {
        for state in generations.indices {
            let device = state / Self.aspects.count
            guard seen[state] == generations[state], seenInstances[state] == instances[device] else {
                throw Broken("\(Self.name(device)): \(seen[state]) was seen, \(generations[state]) is the newest")
            }
        }
    }
}
