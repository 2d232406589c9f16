// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleCore

extension PhoneBus {
    /// How long a wait lasts unless it is said: far longer than a program takes that works.
    public static let patience: Duration = .seconds(30)

    /// Between two looks at what nothing tells of.
    private static let pause: Duration = .milliseconds(5)

    /// Waits until programs have subscribed.
    ///
    /// - Parameters:
    ///   - count: How many subscriptions there must be, at least.
    ///   - patience: How long to wait.
    /// - Throws: `ReveilleError`: `ReveilleError.Code.timeout` says how many there are; `CancellationError`.
    public func waitUntilSubscribed(
        _ count: Int = 1, atMost patience: Duration = PhoneBus.patience
    ) async throws {
        try await wait(atMost: patience) { subscribers in
            subscribers.count >= count ? nil : "\(subscribers.count) subscriptions, expected \(count)"
        }
    }

    /// Waits until every subscription that is not asleep has read all that changed.
    ///
    /// The program has then read it from its socket; when it acts on it is the program's business.
    ///
    /// - Parameter patience: How long to wait.
    /// - Throws: `ReveilleError`: `ReveilleError.Code.timeout` names who has not read; `CancellationError`.
    public func waitUntilTold(atMost patience: Duration = PhoneBus.patience) async throws {
        try await wait(atMost: patience) { subscribers in
            let late = subscribers.filter { !$0.isUpToDate }
            guard !late.isEmpty else { return nil }
            return "not everything was read by "
                + late.map { "\($0.name ?? $0.id), pid \($0.processID)" }.joined(separator: "; ")
        }
    }

    private func wait(
        atMost patience: Duration, until problem: ([Subscriber]) -> String?
    ) async throws {
        let deadline = ContinuousClock.now + patience
        let device = try await Device.connect(to: address)
        while let problem = problem(try await device.subscribers()) {
            guard ContinuousClock.now < deadline else {
                throw ReveilleError(.timeout, "\(problem), within \(patience)")
            }
            try await Task.sleep(for: Self.pause)
        }
    }
}
