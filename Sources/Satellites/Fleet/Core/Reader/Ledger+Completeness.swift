// SPDX-License-Identifier: Apache-2.0

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
