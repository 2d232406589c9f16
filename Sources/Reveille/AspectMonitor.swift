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
    /// - Parameter aspect: An aspect of the device.
    /// - Returns: The monitor, which has the current state.
    /// - Throws: ``ReveilleError``, as ``observe(_:initial:domains:isolation:_:)`` does.
    @MainActor
    public func monitor<State: AspectState>(
        _ aspect: TypedAspect<State>
    ) async throws -> AspectMonitor<State> {
        let monitor = AspectMonitor<State>(try await current())
        monitor.token = try await observe(State.aspect, initial: true) { [weak monitor] event in
            if let state = event.reading.state as? State { monitor?.value = state }
        }
        return monitor
    }
}

/// The current state of an aspect on the main actor, from ``Device/monitor(_:)``.
///
/// A view that reads ``value`` follows it. The state also changes while nothing reads it, except in the background.
@MainActor @Observable
public final class AspectMonitor<Value: Sendable & Equatable> {
    /// The state now.
    public fileprivate(set) var value: Value
    @ObservationIgnored fileprivate var token: ObservationToken?

    fileprivate init(_ value: Value) {
        self.value = value
    }

    /// The reason why the state is not followed any longer, as ``ObservationToken/failure`` reports it.
    public var failure: ReveilleError? { token?.failure }
}
