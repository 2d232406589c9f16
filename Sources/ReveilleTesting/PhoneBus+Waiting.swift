// SPDX-License-Identifier: Apache-2.0

import Reveille
public import ReveilleCore

extension PhoneBus {
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
        _ count: Int = 1, atMost patience: Duration = .seconds(30)
    ) async throws {
        try await wait(atMost: patience) { device in
            let subscribers = try await device.shell.subscriptions()
            return (subscribers.count >= count ? () : nil, "subscriptions: \(subscribers.count), expected \(count)")
        }
    }

    /// Waits until every subscription that is not asleep has read all changes.
    ///
    /// The program has then read the changes from its socket, but may not have handled them yet.
    ///
    /// ```swift
    /// try phone.battery.setLevel(0.1)
    /// try await bus.waitUntilDelivered()
    /// ```
    ///
    /// - Parameter patience: The timeout.
    /// - Throws: `ReveilleError`: `ReveilleError.Code.timeout` with the programs that have unread changes;
    ///   `CancellationError`.
    public func waitUntilDelivered(atMost patience: Duration = .seconds(30)) async throws {
        try await wait(atMost: patience) { device in
            let late = try await device.shell.subscriptions().filter { !$0.isUpToDate }
            let names = late.map { "\($0.name ?? $0.id), pid \($0.processID)" }
            return (late.isEmpty ? () : nil, "unread changes in \(names.joined(separator: "; "))")
        }
    }

    /// Waits until a program has published a value that meets a condition.
    ///
    /// ```swift
    /// struct Volume: Codable {
    ///     var level: Double
    /// }
    /// let volume = try await bus.waitUntilPublished(PublishedName<Volume>("org.example.volume")) { $0.level > 0.5 }
    /// print(volume)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - patience: The timeout.
    ///   - condition: Returns whether a value is the expected one; by default any value is.
    /// - Returns: The value.
    /// - Throws: `ReveilleError`: `ReveilleError.Code.timeout` with the current value, or with the reason why it is not of
    ///   the type; `ReveilleError.Code.invalidArgument` for a name that cannot be published; `CancellationError`.
    @discardableResult
    public func waitUntilPublished<Value: Decodable>(
        _ name: PublishedName<Value>, atMost patience: Duration = .seconds(30),
        where condition: (Value) -> Bool = { _ in true }
    ) async throws -> Value {
        try await wait(atMost: patience) { device in
            let event = try await device.get(name)
            do {
                let value = try event.value(as: Value.self).flatMap { condition($0) ? $0 : nil }
                return (value, "the state is \(event)")
            } catch {
                return (nil, "\(error)")
            }
        }
    }

    /// Waits until nothing is published under a name, for example because the program that published it has ended.
    ///
    /// ```swift
    /// try await bus.waitUntilWithdrawn(PublishedName<[String: Double]>("org.example.volume"))
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - patience: The timeout.
    /// - Throws: `ReveilleError`: `ReveilleError.Code.timeout` with the current value;
    ///   `ReveilleError.Code.invalidArgument` for a name that cannot be published; `CancellationError`.
    public func waitUntilWithdrawn<Value>(
        _ name: PublishedName<Value>, atMost patience: Duration = .seconds(30)
    ) async throws {
        try await wait(atMost: patience) { device in
            let event = try await device.get(name)
            return (event.published?.isWithdrawn == true ? () : nil, "the state is \(event)")
        }
    }

    /// Repeats a check until it returns a value; it also returns the text to report if the value is missing.
    private func wait<Value>(
        atMost patience: Duration, for check: (Device) async throws -> (Value?, problem: String)
    ) async throws -> Value {
        let deadline = ContinuousClock.now + patience
        let device = try await Device.connect(to: address)
        while true {
            let (value, problem) = try await check(device)
            if let value { return value }
            guard ContinuousClock.now < deadline else {
                throw ReveilleError(.timeout, "\(problem), within \(patience)")
            }
            try await Task.sleep(for: Self.pause)
        }
    }
}
