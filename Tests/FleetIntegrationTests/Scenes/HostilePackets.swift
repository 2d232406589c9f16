// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSimulation

/// What a broker sends that lies, from a seed.
struct HostilePackets {
    private static let topics: [[UInt8]] = [
        Array("t".utf8), Array("a/b".utf8), [], Array("#".utf8), [0x61, 0], [0xC3], [0xED, 0xA0, 0x80],
        [0xF4, 0x90, 0x80, 0x80], Array("é/😀".utf8), [UInt8](repeating: 0x78, count: 65_535),
    ]
    private static let codes: [UInt8] = [0, 1, 2, 4, 0x10, 0x18, 0x19] + Array(0x80...0xA2) + [0xFF]
    /// All properties of MQTT 5, and those of a type of packet.
    private static let properties: [UInt8] = [
        0x01, 0x02, 0x03, 0x08, 0x09, 0x0B, 0x11, 0x12, 0x13, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1C, 0x1F, 0x21,
        0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A,
    ]
    private static let ofPublish: [UInt8] = [0x01, 0x02, 0x03, 0x08, 0x09, 0x0B, 0x23, 0x26]
    private static let ofConnack: [UInt8] = [
        0x11, 0x13, 0x1A, 0x1C, 0x1F, 0x21, 0x22, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A,
    ]
    private static let ofOthers: [UInt8] = [0x1F, 0x26]

    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// A number from 0.
    mutating func any(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private mutating func one<Element>(of list: [Element]) -> Element { list[any(list.count)] }

    private mutating func bytes(_ limit: Int) -> [UInt8] { (0..<any(limit)).map { _ in UInt8(any(256)) } }

    /// Returns all that is sent on a connection, in parts.
    mutating func stream() -> [ArraySlice<UInt8>] {
        while true {
            var stream: [UInt8] = []
            switch any(8) {
            case 0: break
            case 1: stream = connack()
            default: stream = FalseBroker.welcome
            }
            for _ in 0..<any(16) {
                let next = packet()
                stream += any(3) == 0 ? mutated(next) : next
            }
            if !UndefinedProperty.occurs(in: stream) { return parts(of: stream) }
        }
    }

    private mutating func parts(of stream: [UInt8]) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var rest = stream[...]
        while !rest.isEmpty {
            let part = rest.prefix(any(3) == 0 ? 1 + any(8) : 1 + any(80_000))
            parts.append(part)
            rest = rest.dropFirst(part.count)
        }
        return parts
    }

    private mutating func packet() -> [UInt8] {
        switch any(14) {
        case 0...3: return publish()
        case 4: return connack()
        // Those that acknowledge a PUBLISH, mostly with short ends.
        case 5, 6: return framed(one(of: [0x40, 0x50, 0x62, 0x70]), identifier() + (any(2) == 0 ? [] : answer()))
        case 7, 8:
            let codes = (0..<any(5)).map { _ in one(of: Self.codes) }
            return framed(one(of: [0x90, 0xB0]), identifier() + properties(Self.ofOthers) + codes)
        case 9: return one(of: [[0xD0, 0], [0xC0, 0], [0xE0, 0], [0xF0, 0]])
        case 10: return any(3) == 0 ? framed(0xE0, answer()) : publish()
        case 11: return framed(0xF0, answer())
        // More than follows, and more than there can be.
        case 12: return one(of: [[0x30, 0xFF, 0xFF, 0xFF, 0x7F], [0x20, 0xFF, 0xFF, 0xFF, 0xFF, 1], publish()])
        default: return framed(UInt8(1 + any(255)), bytes(60))
        }
    }

    private mutating func publish() -> [UInt8] {
        let qos = UInt8(any(8) == 0 ? any(4) : any(2))
        let topic = any(3) == 0 ? one(of: Self.topics) : Self.topics[any(2)]
        return framed(
            0x30 | UInt8(any(2)) << 3 | qos << 1 | UInt8(any(2)),
            word(topic.count) + topic + (qos > 0 ? identifier() : []) + properties(Self.ofPublish) + bytes(200))
    }

    private mutating func connack() -> [UInt8] {
        framed(0x20, [UInt8(any(2)), any(2) == 0 ? 0 : one(of: Self.codes)] + properties(Self.ofConnack))
    }

    private mutating func answer() -> [UInt8] { [one(of: Self.codes)] + properties(Self.ofOthers) }

    /// An identifier, which is often one that the client uses.
    private mutating func identifier() -> [UInt8] { word(any(4) == 0 ? any(65_536) : any(4)) }

    private mutating func properties(_ usual: [UInt8]) -> [UInt8] {
        var list: [UInt8] = []
        for _ in 0..<(any(2) == 0 ? 0 : any(4)) {
            list += property(any(8) == 0 ? one(of: Self.properties) : one(of: usual))
        }
        return number(list.count) + list
    }

    private mutating func property(_ identifier: UInt8) -> [UInt8] {
        let value: [UInt8]
        switch identifier {
        case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A: value = [UInt8(any(8) == 0 ? any(256) : any(2))]
        case 0x13, 0x21, 0x22, 0x23: value = word(any(2) == 0 ? any(65_536) : any(3))
        case 0x02, 0x11, 0x18, 0x27: value = word(any(65_536)) + word(any(65_536))
        case 0x0B: value = number(any(1 << 28))
        case 0x26: value = text() + text()
        default: value = text()
        }
        return [identifier] + value
    }

    private mutating func text() -> [UInt8] {
        let text = any(2) == 0 ? one(of: Self.topics) : bytes(20)
        return word(text.count) + text
    }

    /// Changes, removes or adds a byte, or cuts the end.
    private mutating func mutated(_ packet: [UInt8]) -> [UInt8] {
        var packet = packet
        let place = any(min(packet.count, 16))
        switch any(4) {
        case 0: packet[place] = UInt8(any(256))
        case 1: packet.remove(at: place)
        case 2: packet.insert(UInt8(any(256)), at: place)
        default: packet = Array(packet.prefix(place + 1))
        }
        return packet
    }

    private func word(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }

    private func number(_ value: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        repeat {
            bytes.append(UInt8(rest & 127) | (rest > 127 ? 128 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }

    private func framed(_ type: UInt8, _ body: [UInt8]) -> [UInt8] { [type] + number(body.count) + body }
}
