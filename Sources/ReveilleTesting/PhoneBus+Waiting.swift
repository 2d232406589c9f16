// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleCore

extension PhoneBus {
    /// The default timeout, which is much longer than any working program needs.
    public static let patience: Duration = .seconds(30)

    /// The interval of polling conditions that have no notification.
    private static let pause: Duration = .milliseconds(5)

    /// Waits until programs have subscribed.
    ///
    /// ```swift
    /// try await bus.waitUntilSubscribed(2, atMost: .seconds(5))
    /// ```
    ///
    /// - Parameters:
    ///   - count: The minimum number of subscriptions.
    ///   - patience: The timeout.
    /// - Throws: `ReveilleError`: `ReveilleError.Code.timeout` with the current number; `CancellationError`.
    public func waitUntilSubscribed(
        _ count: Int = 1, atMost patience: Duration = PhoneBus.patience
    ) async throws {
        try await wait(atMost: patience) { subscribers in
            subscribers.count >= count ? nil : "\(subscribers.count) subscriptions, expected \(count)"
        }
    }

    /// Waits until every subscription that is not asleep has read all changes.
    ///
    /// The program has then read the changes from its socket, but may not have handled them yet.
    ///
    /// ```swift
    /// phone.battery.level = 0.1
    /// try await bus.waitUntilDelivered()
    /// ```
    ///
    /// - Parameter patience: The timeout.
    /// - Throws: `ReveilleError`: `ReveilleError.Code.timeout` with the programs that have unread changes;
    ///   `CancellationError`.
    public func waitUntilDelivered(atMost patience: Duration = PhoneBus.patience) async throws {
        try await wait(atMost: patience) { subscribers in
            let late = subscribers.filter { !$0.isUpToDate }
            guard !late.isEmpty else { return nil }
            return "unread changes in "
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
