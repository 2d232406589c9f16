// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore

extension Device {
    /// The current state of an aspect of the device, by the name of the aspect: `try await device.battery`.
    ///
    /// Each type says what its value is without a source, such as `Light.unknown` without a sensor. A sample of `motion`
    /// is taken now, the settings have all their keys, and each folder has all its names as `added`.
    public subscript<State: AspectState>(dynamicMember state: KeyPath<Reading, State?>) -> State {
        get async throws(ReveilleError) {
            let event = try await self.state(of: State.aspect)
            guard let state = event.reading.state as? State else {
                throw ReveilleError(.invalidReply, "GetState: no state of \(State.aspect)")
            }
            return state
        }
    }
}
