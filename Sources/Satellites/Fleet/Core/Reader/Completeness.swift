// SPDX-License-Identifier: Apache-2.0

/// Whether the broker has delivered everything: which messages a reader requests again, and when it stops.
///
/// Brokers limit their queues, and silently drop retained messages beyond the limit. A device's status names its
/// aspects, so the reader knows the missing ones, and requests them again in pages that fit into a queue.
///
/// A reader subscribes, sends a mark to itself, and calls ``mark(_:at:)`` when the mark arrives. Each page has a mark
/// too.
///
/// Pure.
package struct Completeness: Sendable {
    package enum Step: Sendable, Hashable {
        /// Subscribe to the statuses and states of these devices, so that they are delivered again, then send a mark.
        case ask([DeviceID])
        /// Everything has arrived, or never will: deliver these events and problems, then `caughtUp`.
        case complete([Ledger.Outcome])
    }

    /// Returns whether the reader has subscribed to an aspect of a device, or with `nil` to its status.
    package typealias Interest = @Sendable (DeviceID, String?) -> Bool

    /// The most messages of a page in each round.
    ///
    /// The first limit is half of mosquitto's default queue of 1,000, since other messages come meanwhile. A broker
    /// with a very short queue delivers one device at a time.
    package static let pageLimits = [500, 50, 1]
    /// The most devices of a page, whose filters must fit into one packet.
    package static let deviceLimit = 100

    private let isWanted: Interest
    /// The devices still to be asked for in this round, the next page's devices last.
    private var waiting: [DeviceID] = []
    private var round = 0
    /// The devices of the last page, and the number of their messages before the request.
    private var page: [DeviceID] = []
    private var arrivals = 0
    /// The devices of pages on which nothing arrived: the broker has nothing more from these devices.
    private var settled: Set<DeviceID> = []

    package init(isWanted: @escaping Interest = { _, _ in true }) {
        self.isWanted = isWanted
    }

    package mutating func mark(_ ledger: inout Ledger, at now: Int64) -> Step {
        // A short queue delivers only part of a page.
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

extension Ledger {
    /// The assumed number of messages for a device with unknown aspects.
    private static let assumedMessages = 10

    /// Returns the devices with messages that should have arrived in this connection but did not, in order.
    func incomplete(_ isWanted: Completeness.Interest) -> [DeviceID] {
        devices.values.filter { record in
            guard record.isPresent, isWanted(record.device, nil) else { return false }
            return record.statusConnection != connection || !missing(record, isWanted).isEmpty
                || !gone(record, isWanted).isEmpty
        }.map(\.device).sorted()
    }

    /// Returns the aspects that a device lists, but that did not arrive in this connection.
    private func missing(_ record: DeviceRecord, _ isWanted: Completeness.Interest) -> [String] {
        (record.listed ?? []).filter { record.states[$0]?.connection != connection && isWanted(record.device, $0) }
    }

    /// Returns the aspects that were seen earlier, but did not arrive in this connection.
    private func gone(_ record: DeviceRecord, _ isWanted: Completeness.Interest) -> [String] {
        record.states.filter { !$0.value.isAbsent && $0.value.connection != connection }.keys
            .filter { isWanted(record.device, $0) }.sorted()
    }

    /// Returns the number of messages of some devices that arrived in this connection.
    func arrivals(of devices: [DeviceID]) -> Int {
        devices.lazy.compactMap { self.devices[$0] }.reduce(0) { sum, record in
            sum + (record.statusConnection == connection ? 1 : 0)
                + record.states.values.count { $0.connection == connection }
        }
    }

    /// Returns the number of messages that a subscription to a device delivers.
    func messageCount(of device: DeviceID) -> Int {
        guard let record = devices[device] else { return Self.assumedMessages }
        return 1 + max(record.states.count, record.listed?.count ?? Self.assumedMessages)
    }

    /// Gives up waiting for a device: listed aspects are missing, all others have been removed.
    mutating func close(_ device: DeviceID, _ isWanted: Completeness.Interest, at now: Int64) -> [Outcome] {
        guard let record = devices[device] else { return [] }
        var outcomes: [Outcome] = []
        let hasStatus = record.statusConnection == connection
        let missing = hasStatus ? missing(record, isWanted) : []
        if !missing.isEmpty {
            outcomes.append(Outcome(problem: report(.missingStates(device, aspects: missing), at: now)))
        }
        if !hasStatus {
            outcomes.append(removeStatus(of: device))
            if record.states.values.contains(where: { $0.connection == connection }) {
                outcomes.append(Outcome(problem: report(.missingStatus(device), at: now)))
            }
        }
        for aspect in gone(record, isWanted) where !missing.contains(aspect) {
            outcomes.append(noteAbsence(of: aspect, of: device))
        }
        return outcomes.filter { $0 != Outcome() }
    }

    /// Reports that the broker no longer has a state; the position remains.
    private mutating func noteAbsence(of aspect: String, of device: DeviceID) -> Outcome {
        guard let position = position(of: aspect, of: device) else { return remove(aspect, of: device) }
        update(aspect, of: device) { $0.connection = nil }
        return Outcome(.removed(DeviceRemoval(device: device, aspect: aspect, previous: position)))
    }
}
