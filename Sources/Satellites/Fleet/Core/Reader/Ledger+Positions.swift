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
    /// - Returns: False if the ledger is full.
    package mutating func resume(_ position: FleetPosition, of aspect: String, of device: DeviceID) -> Bool {
        guard let (place, index) = place(of: aspect, of: device) else { return false }
        records[place]?.aspects[index].generation = position.generation
        guard var instance = records[place]?.aspects[index].instance else { return false }
        texts.replace(&instance, by: position.instance)
        records[place]?.aspects[index].instance = instance
        return true
    }

    /// Calls a closure with all positions of each device.
    package func forEachDevice(_ body: (DeviceID, [(aspect: String, position: FleetPosition)]) -> Void) {
        for case let record? in records {
            let positions = record.aspects.compactMap { aspect -> (aspect: String, position: FleetPosition)? in
                guard let name = texts[aspect.name], let instance = texts[aspect.instance] else { return nil }
                return (name, FleetPosition(instance: instance, generation: aspect.generation))
            }
            body(record.device, positions)
        }
    }
}
