// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire

/// The states that are published for as long as this device is connected; pure.
struct TiedStates {
    /// The states that a bus has accepted.
    private var accepted: [Aspect: PublishedValue] = [:]
    /// Newer states, for which there was no bus.
    private var missed: [Aspect: PublishedValue] = [:]

    /// The states that the next connection publishes, in the order of their names.
    var latest: [Publish] {
        accepted.merging(missed, uniquingKeysWith: { $1 }).sorted { $0.key < $1.key }.map { name, value in
            Publish(value, whileConnected: true, isAgain: missed[name] == nil)
        }
    }

    mutating func withdraw(_ name: Aspect) {
        (accepted[name], missed[name]) = (nil, nil)
    }

    /// Notes the answer to a call that publishes or withdraws a state.
    mutating func publish(_ value: PublishedValue, isTied: Bool, _ result: Result<Revision, ReveilleError>) {
        // The last value stays if this one is refused.
        if case .failure(let error) = result, !error.isLoss, !value.isWithdrawn { return }
        let (isAccepted, kept) = ((try? result.get()) != nil, isTied ? value : nil)
        accepted[value.name] = isAccepted ? kept : nil
        missed[value.name] = isAccepted ? nil : kept
    }

    /// Notes the answer to a state that was published again, and returns the error of one that is given up.
    mutating func publishAgain(_ value: PublishedValue, _ result: Result<Revision, ReveilleError>) -> ReveilleError? {
        switch result {
        case .success:
            (accepted[value.name], missed[value.name]) = (value, nil)
            return nil
        // The next connection publishes the state again. But a bus could close each connection over a value that it has
        // never accepted, such as one that is too long.
        case .failure(let error) where error.code == .timeout || error.isLoss && accepted[value.name] == value:
            return nil
        case .failure(let error):
            missed[value.name] = nil
            return error
        }
    }
}
