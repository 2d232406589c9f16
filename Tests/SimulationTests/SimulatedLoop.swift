// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem
import ReveilleTesting

/// A loop whose time stands still until it is moved, and whose order a seed decides.
final class SimulatedLoop: Loop {
    final class Source: LoopSource {
        let descriptor: Int32?
        let handler: (EventLoop.Interest) -> Void
        private unowned let loop: SimulatedLoop
        /// What it is told next; an edge that comes twice is told once.
        var pending: EventLoop.Interest = []
        var deadline: Int64?
        var isCanceled = false

        init(_ loop: SimulatedLoop, descriptor: Int32?, handler: @escaping (EventLoop.Interest) -> Void) {
            self.loop = loop
            self.descriptor = descriptor
            self.handler = handler
        }

        func cancel() {
            isCanceled = true
            deadline = nil
            pending = []
        }

        func fire(after duration: Duration) {
            deadline = loop.wallClock + Int64(duration / .microseconds(1))
        }

        func setPriority(_ priority: EventSource.Priority) {}

        func disarm() {
            deadline = nil
        }

        func rearm(_ interest: EventLoop.Interest) {
            guard let descriptor, !isCanceled, !interest.isEmpty else { return }
            pending.formUnion(loop.streams[descriptor]?.readiness ?? [])
        }
    }

    private struct Weak {
        weak var source: Source?
    }

    /// Microseconds; some moment of the year 2026.
    private(set) var wallClock: Int64 = 1_780_000_000_000_000
    var bootClock: Int64 { wallClock }
    var streams: [Int32: SimulatedStream] = [:]
    private var sources: [Weak] = []

    func watch(
        _ descriptor: Int32, for interest: EventLoop.Interest, priority: EventSource.Priority,
        handler: @escaping (EventLoop.Interest) -> Void
    ) -> Source {
        let source = Source(self, descriptor: descriptor, handler: handler)
        sources.append(Weak(source: source))
        source.rearm(interest)
        return source
    }

    func timer(priority: EventSource.Priority, handler: @escaping () -> Void) -> Source {
        let source = Source(self, descriptor: nil) { _ in handler() }
        sources.append(Weak(source: source))
        return source
    }

    /// Tells that something became so on a descriptor.
    func tell(_ descriptor: Int32, _ interest: EventLoop.Interest) {
        for source in alive where source.descriptor == descriptor { source.pending.formUnion(interest) }
    }

    /// Handles one event, any of those that are due; false when there is none.
    func turn(_ random: inout SplitMix64) -> Bool {
        let due = alive.filter { !$0.pending.isEmpty || ($0.deadline ?? .max) <= wallClock }
        guard let source = due.randomElement(using: &random) else { return false }
        let pending = source.pending
        source.pending = []
        if (source.deadline ?? .max) <= wallClock { source.deadline = nil }
        source.handler(pending)
        return true
    }

    /// Lets time pass.
    func advance(_ duration: Duration) {
        wallClock += Int64(duration / .microseconds(1))
    }

    private var alive: [Source] {
        sources.removeAll { $0.source == nil }
        return sources.compactMap(\.source).filter { !$0.isCanceled }
    }
}

/// A connected socket with little room: what one end writes the other reads in pieces of any size.
final class SimulatedStream {
    /// The bus's end; the peer sees when it is let go of.
    final class BusEnd: ByteStream {
        private let stream: SimulatedStream

        init(_ stream: SimulatedStream) {
            self.stream = stream
        }

        deinit {
            stream.isClosedByBus = true
        }

        var number: Int32 { stream.number }
        var isAllRead: Bool { stream.toPeer.isEmpty }
        func peer() -> UnixStream.Peer { stream.credentials }
        func read(into buffer: UnsafeMutableRawBufferPointer) -> UnixStream.Outcome { stream.read(into: buffer) }
        func write(_ bytes: ArraySlice<UInt8>) -> UnixStream.Outcome { stream.write(bytes) }
    }

    let number: Int32
    private unowned let loop: SimulatedLoop
    private let room: Int
    private let credentials: UnixStream.Peer
    private var random: SplitMix64
    private var toBus: [UInt8] = []
    /// What the peer has not read.
    private(set) var toPeer: [UInt8] = []
    private(set) var isClosedByPeer = false
    private(set) var isClosedByBus = false

    init(_ number: Int32, loop: SimulatedLoop, room: Int, peer: UnixStream.Peer, seed: UInt64) {
        self.number = number
        self.loop = loop
        self.room = room
        credentials = peer
        random = SplitMix64(seed: seed)
        loop.streams[number] = self
    }

    var readiness: EventLoop.Interest {
        var readiness: EventLoop.Interest = []
        if !toBus.isEmpty || isClosedByPeer { readiness.insert(.readable) }
        if toPeer.count < room { readiness.insert(.writable) }
        if isClosedByPeer { readiness.formUnion([.hungUp, .halfClosed]) }
        return readiness
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> UnixStream.Outcome {
        guard !toBus.isEmpty else { return isClosedByPeer ? .ended : .wouldBlock }
        let count = Int.random(in: 1...min(buffer.count, toBus.count), using: &random)
        buffer.copyBytes(from: toBus.prefix(count))
        toBus.removeFirst(count)
        return .bytes(count)
    }

    private func write(_ bytes: ArraySlice<UInt8>) -> UnixStream.Outcome {
        guard !isClosedByPeer else { return .ended }
        let space = min(room - toPeer.count, bytes.count)
        guard space > 0 else { return .wouldBlock }
        let count = Int.random(in: 1...space, using: &random)
        toPeer += bytes.prefix(count)
        return .bytes(count)
    }

    // MARK: - The peer's end

    func send(_ bytes: [UInt8]) {
        toBus += bytes
        loop.tell(number, .readable)
    }

    func receive(_ most: Int) -> [UInt8] {
        let bytes = Array(toPeer.prefix(most))
        toPeer.removeFirst(bytes.count)
        if !bytes.isEmpty { loop.tell(number, .writable) }
        return bytes
    }

    func close() {
        isClosedByPeer = true
        loop.tell(number, [.readable, .hungUp, .halfClosed])
    }
}
