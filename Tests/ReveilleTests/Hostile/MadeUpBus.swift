// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleSystem
import ReveilleWire
import Varlink

final class MadeUpBus: Sendable {
    /// The behavior on a connection, which runs on a separate thread.
    typealias Script = @Sendable (Conversation) -> Void

    let address: String
    private let path: String
    private let listener: Int32
    private let script: Script
    private let connections: Lock<(numbers: Set<Int32>, isStopped: Bool)>

    /// Creates a bus that listens at a path, and accepts connections immediately or only after ``accept()``.
    ///
    /// The backlog is the number of connections that may wait to be accepted, minus one.
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

    func accept() throws {
        try Pthread.start { [self] in
            guard let listener = try? UnixListener(inherited: listener) else { return }
            while !connections.withLock({ $0.isStopped }) {
                _ = try? Readiness.wait(listener.number, for: .readable, atMost: .seconds(1))
                if case .connection(let stream)? = try? listener.accept() { begin(stream) }
            }
        }
    }

    private func begin(_ stream: UnixStream) {
        // The accepting thread does not use the stream again.
        nonisolated(unsafe) let stream = stream
        connections.withLock { connections in
            guard !connections.isStopped else { return }
            connections.numbers.insert(stream.number)
            try? Pthread.start { [self] in talk(on: stream) }
        }
    }

    private func talk(on stream: UnixStream) {
        script(Conversation(stream))
        // The number is reused after the stream is closed.
        connections.withLock { _ = $0.numbers.remove(stream.number) }
    }

    /// Creates a bus that answers Subscribe with a script, and all other calls with an empty reply.
    static func streaming(at path: String, script: @escaping Script) throws -> MadeUpBus {
        try MadeUpBus(at: path) { peer in
            while let call = peer.next() {
                if call.member == "Subscribe" { script(peer) } else { peer.answer() }
            }
        }
    }

    func stop() {
        connections.withLock { connections in
            connections.isStopped = true
            for number in connections.numbers { shutdown(number, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
        unlink(path)
    }
}

/// A connection of a made-up bus, used on one thread.
final class Conversation {
    private let stream: UnixStream
    private var received: [UInt8] = []

    init(_ stream: UnixStream) {
        self.stream = stream
    }

    /// Receives the next call; `nil` if the peer has disconnected.
    func next() -> Call? {
        while true {
            if let end = received.firstIndex(of: 0) {
                defer { received.removeSubrange(...end) }
                return try? Call(parsing: Array(received[..<end]))
            }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            switch try? buffer.withUnsafeMutableBytes({ try stream.read(into: $0) }) {
            case .bytes(let count): received += buffer[..<count]
            case .wouldBlock: _ = try? Readiness.wait(stream.number, for: .readable, atMost: .seconds(1))
            case .ended, nil: return nil
            }
        }
    }

    /// Sends bytes, which need not be a complete frame.
    func send(_ bytes: some Collection<UInt8>) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            switch try? stream.write(rest.span) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .wouldBlock: _ = try? Readiness.wait(stream.number, for: .writable, atMost: .seconds(1))
            case .ended, nil: return
            }
        }
    }

    func send(_ text: String) {
        send(Array(text.utf8) + [0])
    }

    func answer(_ parameters: String = "{}", continues: Bool = false) {
        send(#"{"parameters":\#(parameters)\#(continues ? #","continues":true"# : "")}"#)
    }

    func refuse(_ error: String) {
        send(#"{"error":"\#(error)","parameters":{}}"#)
    }

    /// Pauses for a time, or until the peer disconnects.
    func pause(_ time: Duration) {
        var request = pollfd(fd: stream.number, events: 0, revents: 0)
        _ = poll(&request, 1, Int32(time / .milliseconds(1)))
    }
}

extension Conversation {
    func start(_ states: [Event] = [], instance: String = "i", resumed: Bool? = nil) {
        let reply = SubscribeReply(subscription: "1", instance: instance, resumed: resumed, events: states)
        send(Reply(parameters: reply.parameters, continues: true).encoded())
    }

    func deliver(_ events: [Event]) {
        send(Reply(parameters: events.parameters, continues: true).encoded())
    }
}
