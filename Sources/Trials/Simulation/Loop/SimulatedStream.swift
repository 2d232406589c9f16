// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem

/// A simulated socket pair with a small buffer, whose data arrives in pieces of random size.
package final class SimulatedStream {
    /// The bus's end, whose release closes it for the peer.
    package final class BusEnd: ByteStream {
        private let stream: SimulatedStream

        package init(_ stream: SimulatedStream) {
            self.stream = stream
        }

        deinit {
            stream.isClosedByBus = true
            stream.loop?.streams[stream.number] = nil
        }

        package var number: Int32 { stream.number }
        package var isAllRead: Bool { stream.toPeer.isEmpty }
        package var hasLostOutput: Bool { stream.hasLostOutput }
        package func peer() -> UnixStream.Peer { stream.credentials }
        package func read(into buffer: UnsafeMutableRawBufferPointer) -> UnixStream.Outcome {
            stream.read(into: buffer)
        }
        package func write(_ bytes: Span<UInt8>) -> UnixStream.Outcome { stream.write(bytes) }
    }

    let number: Int32
    private weak var loop: SimulatedLoop?
    private let room: Int
    package let credentials: UnixStream.Peer
    private var random: SplitMix64
    private var toBus: [UInt8] = []
    /// The number of bytes in `toBus` that have arrived; more arrive once the bus has read these.
    private var arrived = 0
    /// The bytes that the peer has not read.
    package private(set) var toPeer: [UInt8] = []
    /// The time since boot at which the first unread byte arrived.
    private(set) var arrival: UInt64 = 0
    private var isHalfClosed = false
    /// Whether every write of the bus fails, without a notification of the bus.
    package var isBroken = false
    /// Whether the peer has closed its end without having read everything.
    private var hasLostOutput = false
    package private(set) var isClosedByPeer = false
    package private(set) var isClosedByBus = false

    init(_ number: Int32, loop: SimulatedLoop, room: Int, peer: UnixStream.Peer, random: SplitMix64) {
        self.number = number
        self.loop = loop
        self.room = room
        credentials = peer
        self.random = random
        loop.streams[number] = self
    }

    var readiness: EventLoop.Interest {
        var readiness: EventLoop.Interest = []
        if arrived > 0 || isClosedByPeer { readiness.insert(.readable) }
        if toPeer.count < room { readiness.insert(.writable) }
        if isHalfClosed { readiness.formUnion([.readable, .halfClosed]) }
        if isClosedByPeer { readiness.formUnion([.hungUp, .halfClosed]) }
        return readiness
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> UnixStream.Outcome {
        guard arrived > 0 else { return isClosedByPeer || isHalfClosed ? .ended : .wouldBlock }
        let count = min(buffer.count, arrived)
        buffer.copyBytes(from: toBus.prefix(count))
        toBus.removeFirst(count)
        arrived -= count
        if arrived == 0 { arrive(whole: loop?.arrivesWhole == true) }
        return .bytes(count)
    }

    /// Lets a piece of the sent bytes arrive, or all of them.
    func arrive(whole: Bool) {
        guard arrived < toBus.count else { return }
        arrived = whole ? toBus.count : Int.random(in: 1...toBus.count, using: &random)
        loop?.report(number, .readable)
    }

    private func write(_ bytes: Span<UInt8>) -> UnixStream.Outcome {
        guard !isClosedByPeer, !isBroken else { return .ended }
        let space = min(room - toPeer.count, bytes.count)
        guard space > 0 else { return .wouldBlock }
        let count = Int.random(in: 1...space, using: &random)
        if toPeer.isEmpty { arrival = loop?.bootClock ?? 0 }
        for index in 0..<count { toPeer.append(bytes[index]) }
        return .bytes(count)
    }

    // MARK: - The peer's end

    /// Writes bytes; there is always room.
    package func send(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        toBus += bytes
        if arrived == 0 { arrive(whole: loop?.arrivesWhole == true) }
    }

    package func receive(_ most: Int) -> [UInt8] {
        let bytes = Array(toPeer.prefix(most))
        toPeer.removeFirst(bytes.count)
        if !bytes.isEmpty { loop?.report(number, .writable) }
        return bytes
    }

    /// Stops writing but continues to read.
    package func closeHalf() {
        isHalfClosed = true
        arrived = toBus.count
        loop?.report(number, [.readable, .halfClosed])
    }

    /// Closes the peer's end and discards its unread bytes.
    package func close() {
        isClosedByPeer = true
        arrived = toBus.count
        hasLostOutput = !toPeer.isEmpty
        toPeer = []
        loop?.report(number, [.readable, .writable, .hungUp, .halfClosed])
    }
}
