// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole

extension Device {
    /// Reports the loss of the bus and its return, until the task is cancelled; if `endsOnLoss` is set, throws the
    /// reason for the loss instead.
    func reportConnection(endsOnLoss: Bool = false, to report: (StyledText) -> Void) async throws(ReveilleError) {
        var isLost = false
        for await state in await connectionStates {
            switch state {
            case .disconnected(let error) where endsOnLoss: throw error
            case .disconnected(let error):
                if !isLost { report("reveille: \(error); waiting for the bus to return") }
                isLost = true
            case .connected:
                if isLost { report("reveille: reconnected to the bus") }
                isLost = false
            }
        }
    }
}
