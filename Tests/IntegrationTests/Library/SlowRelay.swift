// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting

/// A relay between a program and its bus that forwards data late and in pieces, and breaks connections.
final class SlowRelay: Sendable {
    let address: String
    private let path: String
    private let bus: String
    private let isStopped = Lock(false)
    private let random: Lock<SplitMix64>

    /// Listens at a path and opens a connection to the bus for each client.
    init(at path: String, to bus: String, seed: UInt64) throws {
        self.path = path
        self.bus = bus
        address = "unix:" + path
        random = Lock(SplitMix64(seed: seed))
        // The listener is created on the thread that uses it.
        let pipe = try Pipe()
        try Pthread.start { [self] in
            guard let address = try? UnixAddress(address), let listener = try? UnixListener(at: address) else { return }
            pipe.wake()
            while !isStopped.withLock({ $0 }) {
                _ = try? Readiness.wait(listener.number, for: .readable, atMost: .milliseconds(20))
                guard case .connection(let client)? = try? listener.accept(), let link = try? Link(client, to: self.bus)
                else { continue }
                try? Pthread.start { [self] in pass(link) }
            }
        }
        guard pipe.waitForWake() else { throw Trouble("listen \(path)") }
    }

    func stop() {
        isStopped.withLock { $0 = true }
    }

    private func number(_ range: Range<Int>) -> Int {
        random.withLock { Int.random(in: range, using: &$0) }
    }

    private func pass(_ link: Link) {
        var patience = number(20..<400)
        while patience > 0 {
            patience -= 1
            switch link.wait() {
            case .ended: return
            case .client: if !link.pass(fromClient: true, atMost: number(1..<200)) { return }
            case .bus: if !link.pass(fromClient: false, atMost: number(1..<200)) { return }
            }
            if number(0..<10) == 0 { poll(nil, 0, Int32(number(0..<10))) }
        }
    }
}

/// A client's connection to the relay with the corresponding connection to the bus.
private final class Link: Sendable {
    enum Side { case client, bus, ended }

    // Only the forwarding thread uses the streams.
    private nonisolated(unsafe) let client: UnixStream
    private nonisolated(unsafe) let bus: UnixStream

    init(_ client: UnixStream, to path: String) throws {
        self.client = client
        bus = try UnixStream(connectingTo: UnixAddress("unix:" + path))
    }

    func wait() -> Side {
        var both = [client.number, bus.number].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard retryingOnInterrupt({ poll(&both, 2, -1) }) > 0 else { return .ended }
        return both[0].revents != 0 ? .client : .bus
    }

    /// Forwards a piece of data; returns `false` if the connection has ended.
    func pass(fromClient: Bool, atMost count: Int) -> Bool {
        let (from, to) = fromClient ? (client, bus) : (bus, client)
        var buffer = [UInt8](repeating: 0, count: count)
        guard case .bytes(let count)? = try? buffer.withUnsafeMutableBytes({ try from.read(into: $0) }) else {
            return false
        }
        var rest = buffer[..<count]
        while !rest.isEmpty {
            switch try? to.write(rest.span) {
            case .bytes(let written): rest = rest.dropFirst(written)
            case .wouldBlock: _ = try? Readiness.wait(to.number, for: .writable, atMost: .seconds(1))
            case .ended, nil: return false
            }
        }
        return true
    }
}
