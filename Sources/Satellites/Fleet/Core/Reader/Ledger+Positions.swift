// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    package func position(of aspect: String, of device: DeviceID) -> FleetPosition? {
        devices[device]?.states[aspect]?.seen
    }

    /// Continues after a saved position, and returns false if the ledger is full.
    ///
    /// The state is absent if the consumer knows that the broker no longer has it.
    package mutating func resume(
        _ position: FleetPosition, of aspect: String, of device: DeviceID, isAbsent: Bool = false
    ) -> Bool {
        guard admit(aspect, of: device) else { return false }
        update(aspect, of: device) { state in
            state.seen = position
            if isAbsent { state.connection = nil }
        }
        return true
    }

    /// Takes note of an event that the consumer has taken.
    ///
    /// States that the consumer had not taken before a removal are never delivered, so the next event counts from the
    /// last seen state.
    package mutating func noteTaken(_ event: FleetEvent) {
        guard case .removed(let removal) = event, let aspect = removal.aspect,
            devices[removal.device]?.states[aspect]?.isAbsent == true
        else { return }
        guard let seen = removal.previous else {
            _ = forget(aspect, of: removal.device)
            return forgetIfEmpty(removal.device)
        }
        update(aspect, of: removal.device) { $0.seen = seen }
    }
}
