// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Whether the broker delivered everything it has: what a reader asks for again, and when it stops.
///
/// Brokers limit their queues, and drop retained messages beyond them without a word. The status of a device names its
/// aspects, so what is missing is known by name, and is asked for again in pages that fit into a queue.
///
/// A reader subscribes, sends a mark to itself, and calls ``mark(_:at:)`` when it arrives, also after each page.
///
/// Pure.
package struct Completeness: Sendable {
    /// What a reader does after its mark has arrived.
    package enum Step: Sendable, Hashable {
        /// Subscribe to the statuses and states of these devices, so that they are delivered again, then send a mark.
        case ask([DeviceID])
        /// All has arrived, or will not: deliver these events and problems, then `caughtUp`.
        case complete([Ledger.Outcome])
    }

    /// Returns whether the reader has subscribed to an aspect of a device, or with `nil` to its status.
    package typealias Interest = @Sendable (DeviceID, String?) -> Bool

    /// The most messages of a page in each round.
    ///
    /// The first is half of what mosquitto's default queue of 1,000 holds,
    /// since others come meanwhile. A broker that holds less delivers one device at a time.
    package static let pageLimits = [500, 50, 1]
    /// The most devices of a page, whose filters must fit into one packet.
    package static let deviceLimit = 100

    private let isWanted: Interest
    /// The devices that are to be asked for in this round, those of the next page last.
    private var waiting: [DeviceID] = []
    private var round = 0
    /// The devices that were asked for last, and the number of their messages before.
    private var page: [DeviceID] = []
    private var arrivals = 0
    /// The devices of pages on which nothing arrived: the broker has nothing else of them.
    private var settled: Set<DeviceID> = []

    /// Creates the check of one connection.
    ///
    /// - Parameter isWanted: Returns whether the reader has subscribed.
    package init(isWanted: @escaping Interest = { _, _ in true }) {
        self.isWanted = isWanted
    }

    /// Takes the arrival of a mark.
    package mutating func mark(_ ledger: inout Ledger, at now: Int64) -> Step {
        // A queue that is too short delivers some of a page.
        if ledger.arrivals(of: page) == arrivals { settled.formUnion(page) }
        page = []
        if waiting.isEmpty, round < Self.pageLimits.count {
            round += 1
            waiting = ledger.incomplete(isWanted).filter { !settled.contains($0) }.reversed()
        }
        var size = 0
        while let device = waiting.last, page.count < Self.deviceLimit {
            let count = ledger.messageCount(of: device)
            guard page.isEmpty || size + count <= Self.pageLimits[round - 1] else { break }
            waiting.removeLast()
            page.append(device)
            size += count
        }
        arrivals = ledger.arrivals(of: page)
        guard page.isEmpty else { return .ask(page) }
        return .complete(ledger.incomplete(isWanted).flatMap { ledger.close($0, isWanted, at: now) })
    }
}
