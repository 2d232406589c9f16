// SPDX-License-Identifier: Apache-2.0

public import Observation
public import ReveilleCore

extension Device {
    /// Follows an aspect for as long as the returned monitor is retained, so that its state can be read without waiting.
    ///
    /// The counterpart of UIDevice's `isBatteryMonitoringEnabled = true` and `batteryLevel`.
    ///
    /// ```swift
    /// let battery = try await device.monitor(.battery)
    /// print(battery.value.level as Any)  // without waiting, and observed
    /// ```
    ///
    /// - Parameters:
    ///   - aspect: An aspect of the device.
    ///   - options: The options of the subscription.
    /// - Returns: The monitor, which has the current state.
    /// - Throws: ``ReveilleError``, as ``observe(_:options:isolation:_:)`` does.
    @MainActor
    public func monitor<State>(
        _ aspect: TypedAspect<State>, options: SubscriptionOptions = SubscriptionOptions()
    ) async throws -> AspectMonitor<State> {
        try await monitor(aspect.aspect, options, from: try await state(of: aspect)) { aspect.state(of: $0.reading) }
    }

    /// Follows a published name, as ``monitor(_:options:)-(TypedAspect<State>,_)`` follows an aspect of the device.
    ///
    /// - Parameters:
    ///   - name: The published name.
    ///   - options: The options of the subscription.
    /// - Returns: The monitor, whose value is `nil` while nothing is published. A value of another type changes nothing, and
    ///   is the ``AspectMonitor/failure`` until the next value.
    /// - Throws: ``ReveilleError``, as ``value(of:)`` and ``observe(_:options:isolation:_:)`` do.
    @MainActor
    public func monitor<Value: Decodable & Sendable>(
        _ name: PublishedName<Value>, options: SubscriptionOptions = SubscriptionOptions()
    ) async throws -> AspectMonitor<Value?> {
        try await monitor(name.aspect, options, from: try await value(of: name)) { .some(try $0.value(as: Value.self)) }
    }

    @MainActor
    private func monitor<Value>(
        _ aspect: Aspect, _ options: SubscriptionOptions, from value: Value,
        _ decode: @escaping (Event) throws -> Value?
    ) async throws -> AspectMonitor<Value> {
        let monitor = AspectMonitor(value)
        monitor.token = try await observe(aspect, options: options.beginningWithState) { [weak monitor] event in
            monitor?.take(Result { try decode(event) })
        }
        return monitor
    }
}

/// The current state of an aspect on the main actor, from ``Device/monitor(_:options:)-(TypedAspect<State>,_)``.
///
/// A view that reads ``value`` follows it. The state also changes while nothing reads it, except in the background.
@MainActor @Observable
public final class AspectMonitor<Value: Sendable> {
    /// The state now.
    public var value: Value { current }
    private var current: Value
    private var undecoded: ReveilleError?
    @ObservationIgnored fileprivate var token: ObservationToken?

    fileprivate init(_ value: Value) {
        current = value
    }

    fileprivate func take(_ value: Result<Value?, any Error>) {
        undecoded = nil
        switch value {
        case .success(let value): if let value { current = value }
        case .failure(let error): undecoded = error as? ReveilleError
        }
    }

    /// The reason why the state is not followed any longer, as ``ObservationToken/failure`` reports it, or why the last
    /// value could not be decoded.
    public var failure: ReveilleError? { token?.failure ?? undecoded }
}
