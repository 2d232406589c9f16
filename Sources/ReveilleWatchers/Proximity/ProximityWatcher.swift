// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import ReveilleSystem

/// Watches the proximity sensor on the front of the device.
///
/// The kernel sends no event when a sensor's value changes, so the sensor is sampled while it is watched. A switch
/// sends events.
package final class ProximityWatcher: Watcher {
    /// How closely to watch.
    package struct Settings: Sendable {
        /// The time between samples while a subscriber is in the foreground.
        package var sampleInterval: Duration = .milliseconds(700)
        /// The smallest raw value that means near; `nil` for the device's own level.
        package var nearLevel: Double?

        /// Creates the default settings.
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
        switch sample {
        case .input(let device):
            report(try device.isOn(switch: ProximitySensor.frontSwitch) ? .near : .far)
        case .values(let values):
            guard let rule = sensor.rule else { return }
            report(rule.state(at: values[0], last: state))
        }
    }

    private func report(_ state: Proximity) {
        self.state = state
        context.report(.proximity(state))
    }

    package var source: SourceDescription { watch.source(orElse: "no proximity sensor") }

    package func examine() -> Examination {
        watch.examine { candidates, examination in
            for candidate in candidates {
                examination.add(candidate.title, candidate.reason)
                if let sensor = candidate.sensor { Self.examine(sensor, &examination) }
            }
            if !candidates.isEmpty, candidates.allSatisfy({ $0.sensor == nil }) {
                examination.advice.append(
                    "set proximity.nearLevel in the configuration to the lowest raw value of near")
            }
        }
    }

    private static func examine(_ sensor: ProximitySensor, _ examination: inout Examination) {
        switch sensor.access {
        case .sampled(let channels):
            switch IIOReader(channels).sample(isLive: false) {
            case .values(let values):
                examination.add("raw", "\(values[0])")
                if let rule = sensor.rule {
                    examination.add("result", rule.state(at: values[0], last: .unknown).rawValue)
                }
            case .missing: examination.add("raw", "the sensor has been removed")
            case .failed(let error): examination.add("raw", "\(error)")
            }
        case .input(let node, _):
            do throws(SystemError) {
                let isNear = try InputDevice(node: node).isOn(switch: ProximitySensor.frontSwitch)
                examination.add("raw", isNear ? "on" : "off")
                examination.add("result", (isNear ? Proximity.near : .far).rawValue)
            } catch {
                examination.add("raw", "\(error)")
                examination.advice.append("join the group input to read \(node)")
            }
        }
    }
}
