// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting

/// A broker that refuses subscriptions to desired values, as other brokers than mosquitto do, and accepts all else.
///
/// It works while ``serve()`` is called.
final class RefusingBroker {
    private let listener: Int32
    private var connection: Int32 = -1
    private var buffer: [UInt8] = []
    private var retained: [String: ArraySlice<UInt8>] = [:]

    init(_ path: String) throws {
        unlink(path)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        let result = try UnixAddress("unix:" + path).withSocketAddress { bind(listener, $0, $1) }
        guard result == 0, listen(listener, 8) == 0 else { throw Trouble("listen at \(path)") }
    }

    deinit {
        for descriptor in [listener, connection] where descriptor >= 0 { close(descriptor) }
    }

    func serve() {
        let next = accept(listener, nil, nil)
        if next >= 0 {
            if connection >= 0 { close(connection) }
            (connection, buffer) = (next, [])
        }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &chunk, chunk.count, Int32(MSG_DONTWAIT))
        if count > 0 { buffer += chunk[..<count] }
        while let (type, body) = packet() { answer(type, body) }
    }

    /// A packet of a bridge, whose length has at most two bytes.
    private func packet() -> (type: UInt8, body: ArraySlice<UInt8>)? {
        guard buffer.count > 2 else { return nil }
        let isLong = buffer[1] >= 0x80
        let start = isLong ? 3 : 2
        let length = Int(buffer[1] & 0x7F) + (isLong ? Int(buffer[2]) << 7 : 0)
        guard buffer.count >= start + length else { return nil }
        defer { buffer.removeSubrange(..<(start + length)) }
        return (buffer[0] >> 4, buffer[start..<start + length])
    }

    private func answer(_ type: UInt8, _ body: ArraySlice<UInt8>) {
        var rest = body
        func number() -> Int { Int(rest.removeFirst()) << 8 | Int(rest.removeFirst()) }
        func text() -> String {
            let length = number()
            defer { rest.removeFirst(length) }
            return String(decoding: rest.prefix(length), as: UTF8.self)
        }
        switch type {
        case 1: send(0x20, [0, 0, 0])
        case 3:
            let topic = text()
            let identifier = rest.prefix(2)
            retained[topic] = rest.dropFirst(2)
            send(0x40, Array(identifier))
        case 8:
            let identifier = rest.prefix(2)
            rest.removeFirst(2)
            rest.removeFirst(1 + Int(rest.first ?? 0))
            var filters: [String] = []
            while !rest.isEmpty {
                filters.append(text())
                rest.removeFirst()
            }
            send(0x90, identifier + [0] + filters.map { $0.contains("/desired/") ? 0x87 : 0 })
            for filter in filters {
                guard let message = retained[filter] else { continue }
                let topic = Array(filter.utf8)
                let length = [UInt8(topic.count >> 8), UInt8(topic.count & 0xFF)]
                send(0x31, length + topic + message)
            }
        case 10: send(0xB0, Array(rest.prefix(2)) + [0, 0])
        default: break
        }
    }

    private func send(_ type: UInt8, _ body: [UInt8]) {
        let length = body.count
        let head = length < 0x80 ? [UInt8(length)] : [UInt8(length & 0x7F | 0x80), UInt8(length >> 7)]
        let packet = [type] + head + body
        _ = Glibc.send(connection, packet, packet.count, Int32(MSG_NOSIGNAL))
    }
}
