// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting
import Varlink

/// A bus for a benchmark.
final class BenchService {
    private let bus: PhoneBus
    let address: UnixAddress

    init(_ phone: SyntheticPhone) throws {
        bus = try phone.startBus(
            configuration: """
                { battery: { levelInterval: 0, levelStep: 0.0001, settleInterval: 10 },
                  bus: { connections: 20000, connectionsPerUser: 20000 } }
                """)
        address = try UnixAddress(bus.address)
    }

    /// The resident memory of the bus in kilobytes.
    var residentMemory: Int {
        guard let stream = fopen("/proc/\(bus.processIdentifier)/statm", "r") else { return 0 }
        defer { fclose(stream) }
        var text = [CChar](repeating: 0, count: 128)
        guard fgets(&text, Int32(text.count), stream) != nil else { return 0 }
        let fields = text.split(separator: CChar(UInt8(ascii: " "))).dropFirst().first ?? []
        return (Int(String(decoding: fields.map { UInt8(bitPattern: $0) }, as: UTF8.self)) ?? 0) * 4
    }

    /// Creates a connection to the bus.
    func client() throws -> BenchClient {
        BenchClient(try UnixStream(connectingTo: address))
    }
}

/// A connection that blocks until replies arrive.
final class BenchClient {
    private let stream: UnixStream
    private var session = ClientSession(maximumFrame: 1 << 20)

    init(_ stream: UnixStream) {
        self.stream = stream
    }

    func subscribe(to aspect: String) throws {
        let parameters: JSONObject = ["aspects": [.string(aspect)]]
        try send(Call(method: "org.reveille.Bus.Subscribe", parameters: parameters, mode: .more))
        _ = try receive()
    }

    func send(_ call: Call) throws {
        try send(session.call(call))
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch try stream.write(rest) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .wouldBlock: try Readiness.wait(stream.number, for: .writable, atMost: .seconds(10))
            case .ended: throw SystemError("send", code: EPIPE)
            }
        }
    }

    /// Waits for an event, and returns the time at which it was read in nanoseconds of the monotonic clock.
    func waitForEvent() throws -> Int64 {
        try receive()
        return MonotonicClock.now
    }

    @discardableResult
    func receive() throws -> Reply {
        while true {
            if let reply = try session.nextReply() { return reply }
            guard try Readiness.wait(stream.number, for: .readable, atMost: .seconds(10)) else {
                throw SystemError("poll", code: ETIMEDOUT)
            }
            try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
                guard case .bytes(let count) = try stream.read(into: buffer) else { return }
                session.receive(UnsafeBufferPointer(rebasing: buffer.bindMemory(to: UInt8.self)[..<count]).span)
            }
        }
    }
}
