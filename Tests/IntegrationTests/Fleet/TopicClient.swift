// SPDX-License-Identifier: Apache-2.0

import Glibc
import Varlink

/// A client of MQTT 5 in raw bytes, independent of the program's library: it sees every topic of a broker.
final class TopicClient {
    struct Message {
        let topic: String
        let payload: [UInt8]
        let isRetained: Bool

        var object: JSONObject { (try? JSON.parse(payload))?.objectValue ?? [:] }
    }

    private let client: RawClient
    private var buffer: [UInt8] = []
    /// All messages, in the order in which they came.
    private(set) var messages: [Message] = []

    /// Connects to the socket of a broker, and subscribes to everything.
    init(_ path: String) throws {
        client = try RawClient(path)
        let name = "observer-" + String(UInt64.random(in: .min ... .max), radix: 16)
        // Protocol level 5, clean start, no keep-alive, no properties.
        try send(0x10, Self.text("MQTT") + [5, 2, 0, 0, 0] + Self.text(name))
        guard try receive().type == 0x20 else { throw Trouble("the broker did not accept the observer") }
        try send(0x82, [0, 1, 0] + Self.text("#") + [0])
        while try receive().type != 0x90 {}
    }

    func publish(_ topic: String, _ payload: String) throws {
        try send(0x31, Self.text(topic) + [0] + Array(payload.utf8))
    }

    func messages(about topic: String) throws -> [Message] {
        while try receiveNow() {}
        return messages.filter { $0.topic == topic }
    }

    @discardableResult
    func wait(for topic: String, where condition: (JSONObject) -> Bool = { _ in true }) throws -> JSONObject {
        let deadline = Deadline(seconds: 60)
        while true {
            if let found = messages.last(where: { $0.topic == topic && condition($0.object) }) { return found.object }
            guard !deadline.hasPassed else {
                let texts = messages.map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
                throw Trouble("waited for \(topic); received \(texts.joined(separator: "\n"))")
            }
            if try !receiveNow() { backOff() }
        }
    }

    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }

    private func send(_ type: UInt8, _ body: [UInt8]) throws {
        var length: [UInt8] = []
        var rest = body.count
        repeat {
            length.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        try client.send(bytes: [type] + length + body)
    }

    private func receive() throws -> (type: UInt8, body: [UInt8]) {
        let deadline = Deadline(seconds: 60)
        while true {
            if let packet = next() { return packet }
            guard !deadline.hasPassed else { throw Trouble("the broker does not answer") }
            if try !fill() { backOff() }
        }
    }

    /// Reads a packet that has arrived; `false` if there is none.
    private func receiveNow() throws -> Bool {
        if next() != nil { return true }
        return try fill()
    }

    private func fill() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(client.descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
        guard count != 0 else { throw Trouble("the broker has closed the connection") }
        if count > 0 { buffer += chunk[..<count] }
        return count > 0
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> (value: Int, size: Int)? {
        var value = 0
        for (index, byte) in bytes.prefix(4).enumerated() {
            value |= Int(byte & 0x7F) << (7 * index)
            if byte < 0x80 { return (value, index + 1) }
        }
        return nil
    }

    private func next() -> (type: UInt8, body: [UInt8])? {
        guard buffer.count > 1, let length = Self.number(buffer[1...]),
            buffer.count >= 1 + length.size + length.value
        else { return nil }
        let start = 1 + length.size
        let body = Array(buffer[start..<start + length.value])
        let type = buffer[0]
        buffer.removeSubrange(..<(start + length.value))
        if type & 0xF0 == 0x30 {
            let size = Int(body[0]) << 8 | Int(body[1])
            let properties = Self.number(body[(2 + size)...]) ?? (0, 1)
            messages.append(
                Message(
                    topic: String(decoding: body[2..<2 + size], as: UTF8.self),
                    payload: Array(body[(2 + size + properties.size + properties.value)...]),
                    isRetained: type & 1 != 0))
        }
        return (type & 0xF0, body)
    }
}
