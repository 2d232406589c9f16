// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Ledger {
    /// The messages that a device of unknown aspects is assumed to have.
    private static let assumedMessages = 10

    /// The number of devices whose status arrived in this connection.
    var arrivedDevices: Int { records.count { $0?.statusConnection == connection } }

    /// Returns the devices of which something is missing that should have arrived in this connection, in their order.
    func incomplete(_ isWanted: Completeness.Interest) -> [DeviceID] {
        // Most devices have the same aspects.
        var lists: [SharedTexts.Index: [String]] = [:]
        var devices: [DeviceID] = []
        for case let record? in records where record.isPresent && isWanted(record.device, nil) {
            if lists[record.listed] == nil { lists[record.listed] = listed(record) ?? [] }
            let isComplete =
                record.statusConnection == connection && gone(record, isWanted).isEmpty
                && missing(lists[record.listed] ?? [], of: record, isWanted).isEmpty
            if !isComplete { devices.append(record.device) }
        }
        return devices.sorted()
    }

    /// Returns the aspects of a list that did not arrive in this connection.
    private func missing(_ names: [String], of record: DeviceRecord, _ isWanted: Completeness.Interest) -> [String] {
        names.filter { name in
            let index = texts.index(of: name)
            let hasArrived = record.aspects.contains { $0.name == index && $0.connection == connection }
            return !hasArrived && isWanted(record.device, name)
        }
    }

    /// Returns the aspects that were seen earlier, but did not arrive in this connection.
    private func gone(_ record: DeviceRecord, _ isWanted: Completeness.Interest) -> [String] {
        record.aspects.lazy.filter { $0.connection != connection && !$0.isAbsent }.compactMap { texts[$0.name] }
            .filter { isWanted(record.device, $0) }
    }

    /// Returns the number of messages of some devices that arrived in this connection.
    func arrivals(of devices: [DeviceID]) -> Int {
        devices.lazy.compactMap { places[$0].flatMap { records[Int($0)] } }.reduce(0) { sum, record in
            sum + (record.statusConnection == connection ? 1 : 0)
                + record.aspects.count { $0.connection == connection }
        }
    }

    /// Returns the number of messages that a subscription to a device delivers.
    func messageCount(of device: DeviceID) -> Int {
        guard let record = places[device].flatMap({ records[Int($0)] }) else { return Self.assumedMessages }
        return 1 + max(record.aspects.count, listed(record)?.count ?? Self.assumedMessages)
    }

    /// Gives up waiting for a device: what it lists is missing, and anything else has been removed.
    mutating func close(_ device: DeviceID, _ isWanted: Completeness.Interest, at now: Int64) -> [Outcome] {
        guard let record = places[device].flatMap({ records[Int($0)] }) else { return [] }
        var outcomes: [Outcome] = []
        let hasStatus = record.statusConnection == connection
        let missing = hasStatus ? missing(listed(record) ?? [], of: record, isWanted) : []
        if !missing.isEmpty {
            outcomes.append(Outcome(problem: report(.missingStates(device, aspects: missing), at: now)))
        }
        if !hasStatus {
            outcomes.append(removeStatus(of: device))
            if record.aspects.contains(where: { $0.connection == connection }) {
                outcomes.append(Outcome(problem: report(.missingStatus(device), at: now)))
            }
        }
        for aspect in gone(record, isWanted) where !missing.contains(aspect) {
            outcomes.append(noteAbsence(of: aspect, of: device))
        }
        return outcomes.filter { $0 != Outcome() }
    }

    /// Reports that the broker no longer has a state, whose position remains.
    private mutating func noteAbsence(of aspect: String, of device: DeviceID) -> Outcome {
        guard let position = position(of: aspect, of: device), let place = places[device].map(Int.init),
            let index = index(of: aspect, in: place)
        else { return remove(aspect, of: device) }
        setConnection(DeviceRecord.Aspect.absent, of: index, in: place)
        return Outcome(.removed(DeviceRemoval(device: device, aspect: aspect, previous: position)))
    }
}
