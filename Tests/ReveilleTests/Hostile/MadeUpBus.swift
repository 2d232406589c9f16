// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Reveille
import ReveilleSystem
import ReveilleWire
import Varlink

/// A bus that a test makes up: it listens at a socket of its own, and says on each connection what the test wants.
final class MadeUpBus: Sendable {
    /// What one connection is told, on a thread of its own.
    typealias Script = @Sendable (Conversation) -> Void

    let address: String
    private let path: String
    private let listener: Int32
    private let script: Script
    private let connections: Lock<(numbers: Set<Int32>, isStopped: Bool)>

    /// Listens.
    ///
    /// - Parameters:
    ///   - path: The socket.
    ///   - backlog: How many more than one connection may wait to be accepted.
    ///   - accepts: Whether to accept from the start; else ``accept()`` does.
    ///   - script: Talks to each peer.
    /// - Throws: `SystemError` where nobody can listen there.
    init(at path: String, backlog: Int32 = 64, accepts: Bool = true, script: @escaping Script) throws {
        self.path = path
        self.script = script
        address = "unix:" + path
        connections = Lock(([], false))
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        unlink(path)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(listener, backlog) == 0 else { throw SystemError("listen", on: path) }
        if accepts { try accept() }
    }

    /// Begins to accept.
    func accept() throws {
        try Pthread.start { [self] in
            while case let number = Glibc.accept(listener, nil, nil), number >= 0 {
                let isOpen = connections.withLock { connections in
                    if !connections.isStopped { connections.numbers.insert(number) }
                    return !connections.isStopped
                }
                guard isOpen, (try? Pthread.start { [self] in talk(on: number) }) != nil else {
                    close(number)
                    continue
                }
            }
            close(listener)
        }
    }

    private func talk(on number: Int32) {
        script(Conversation(number))
        connections.withLock { connections in
            connections.numbers.remove(number)
            // Closed under the lock, so that nobody ends another connection of the same number.
            close(number)
        }
    }

    /// Ends everything; peers see their connections close.
    func stop() {
        connections.withLock { connections in
            connections.isStopped = true
            for number in connections.numbers { shutdown(number, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
        unlink(path)
    }
}

/// One connection of a made-up bus; used on one thread.
final class Conversation {
    private let number: Int32
    private var received: [UInt8] = []

    init(_ number: Int32) {
        self.number = number
    }

    /// The next call; `nil` once the peer is gone.
    func next() -> Call? {
        while true {
            if let end = received.firstIndex(of: 0) {
                defer { received.removeSubrange(...end) }
                return try? Call(parsing: Array(received[..<end]))
            }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = retryingOnInterrupt { recv(number, &buffer, buffer.count, 0) }
            guard count > 0 else { return nil }
            received += buffer[..<count]
        }
    }

    /// Sends bytes, whole or not.
    func send(_ bytes: some Collection<UInt8>) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends a frame.
    func send(_ text: String) {
        send(Array(text.utf8) + [0])
    }

    /// Answers with parameters as JSON.
    func answer(_ parameters: String = "{}", continues: Bool = false) {
        send(#"{"parameters":\#(parameters)\#(continues ? #","continues":true"# : "")}"#)
    }

    /// Answers with an error.
    func refuse(_ error: String) {
        send(#"{"error":"\#(error)","parameters":{}}"#)
    }

    /// Keeps silent for a time, or until the peer is gone.
    func pause(_ time: Duration) {
        var request = pollfd(fd: number, events: 0, revents: 0)
        _ = poll(&request, 1, Int32(time / .milliseconds(1)))
    }
}

extension Conversation {
    /// The first reply to a Subscribe.
    func start(_ states: [Event] = [], instance: String = "i", resumed: Bool? = nil) {
        let parameters: JSONObject = [
            "subscription": "0000000000000001", "instance": .string(instance),
            "resumed": resumed.map { .bool($0) } ?? .null, "events": .array(states.map(EventCoding.encode)),
        ]
        send(Reply(parameters: parameters, continues: true).encoded())
    }

    /// A later reply.
    func tell(_ events: [Event]) {
        send(Reply(parameters: ["events": .array(events.map(EventCoding.encode))], continues: true).encoded())
    }
}

extension Event {
    /// A battery's event.
    static func battery(_ level: Double, _ generation: Int, changes: Int = 1) -> Event {
        Event(
            reading: .battery(
                Battery(
                    state: .unplugged, level: level, isPlugged: false, chargeStatus: .discharging, packs: [])),
            generation: generation, sequence: generation, changes: changes, netChange: changes > 0,
            firstChangedAt: Timestamp(microseconds: 0), changedAt: Timestamp(microseconds: 0), dropped: 0, settings: [])
    }
}
