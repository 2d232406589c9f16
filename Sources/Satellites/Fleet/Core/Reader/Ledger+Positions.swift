// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Ledger {
    /// Returns the last position that was seen; `nil` if there is none.
    package func position(of aspect: String, of device: DeviceID) -> FleetPosition? {
        guard let place = places[device].map(Int.init), let index = index(of: aspect, in: place),
            let record = records[place]?.aspects[index]
        else { return nil }
        return texts[record.instance].map { FleetPosition(instance: $0, generation: record.generation) }
    }

    /// Continues after a position that was saved.
    ///
    /// - Parameters:
    ///   - position: The position.
    ///   - aspect: The aspect.
    ///   - device: The device.
    ///   - isAbsent: Whether the consumer knows that the broker no longer has the state.
    /// - Returns: False if the ledger is full.
    package mutating func resume(
        _ position: FleetPosition, of aspect: String, of device: DeviceID, isAbsent: Bool = false
    ) -> Bool {
        guard let (place, index) = place(of: aspect, of: device) else { return false }
        records[place]?.aspects[index].generation = position.generation
        guard var instance = records[place]?.aspects[index].instance else { return false }
        texts.replace(&instance, by: position.instance)
        records[place]?.aspects[index].instance = instance
        if isAbsent { setConnection(DeviceRecord.Aspect.absent, of: index, in: place) }
        return true
    }

    /// Takes note of an event that the consumer has taken.
    ///
    /// States that it had not taken before a removal are never delivered, so the next one counts from what it has seen.
    package mutating func noteTaken(_ event: FleetEvent) {
        guard case .removed(let removal) = event, let aspect = removal.aspect,
            let place = places[removal.device].map(Int.init), let index = index(of: aspect, in: place),
            records[place]?.aspects[index].isAbsent == true
        else { return }
        guard let seen = removal.previous else {
            _ = forget(index, in: place)
            return forgetIfEmpty(place)
        }
        _ = resume(seen, of: aspect, of: removal.device)
    }
}
