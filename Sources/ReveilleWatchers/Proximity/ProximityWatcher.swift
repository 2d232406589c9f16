// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem

/// Watches the proximity sensor on the front of the device.
///
/// The kernel sends no event when a sensor's value changes, so the sensor is sampled while it is watched. A switch
/// sends events.
package final class ProximityWatcher: Watcher {
    package struct Settings: Sendable {
        /// The time between samples while a subscriber is in the foreground.
        package var sampleInterval: Duration = .milliseconds(700)
        /// The smallest raw value that means near; `nil` for the device's own level.
        package var nearLevel: Double?

        package init() {}
    }

    package let aspect = BuiltInAspect.proximity
    private let context: WatcherContext
    private let watch: SensorWatch<ProximitySensor>
    private var state = Proximity.unknown

    /// Creates a watcher that is off; `idleInterval` is the time between samples while all subscribers are held.
    package init(
        loop: EventLoop, timer: SharedTimer, feed: DeviceFeed, settings: Settings, idleInterval: Duration,
        context: WatcherContext
    ) throws(SystemError) {
        self.context = context
        watch = SensorWatch(
            loop: loop, timer: timer, feed: feed, context: context,
            intervals: SampleIntervals(live: settings.sampleInterval, idle: idleInterval)
        ) { () throws(SystemError) in try ProximitySensor.candidates(nearLevel: settings.nearLevel) }
        watch.sampled = { [weak self] sensor, sample throws(SystemError) in try self?.take(sample, of: sensor) }
        watch.gone = { [weak self] in self?.report(.unknown) }
    }

    package var pace: Pace {
        get { watch.pace }
        set { watch.pace = newValue }
    }

    package func refresh(then completion: @escaping () -> Void) {
        watch.refresh(then: completion)
    }

    private func take(_ sample: SensorSample, of sensor: ProximitySensor) throws(SystemError) {
        report(try sensor.state(sample, last: state))
    }

    private func report(_ state: Proximity) {
        self.state = state
        context.report(.proximity(state))
    }

    package var source: SourceDescription { watch.source(orElse: "no proximity sensor") }

    package func examine() -> Examination {
        watch.examine(advice: "set proximity.nearLevel in the configuration to the lowest raw value of near") {
            sensor, sample throws(SystemError) in
            let state = try sensor.state(sample, last: .unknown)
            guard case .values(let values) = sample else { return (state == .near ? "on" : "off", state.rawValue) }
            return ("\(values[0])", state.rawValue)
        }
    }
}

extension ProximitySensor {
    fileprivate func state(_ sample: SensorSample, last: Proximity) throws(SystemError) -> Proximity {
        switch sample {
        case .input(let device): try device.isOn(switch: Self.frontSwitch) ? .near : .far
        case .values(let values): rule?.state(at: values[0], last: last) ?? .unknown
        }
    }
}
