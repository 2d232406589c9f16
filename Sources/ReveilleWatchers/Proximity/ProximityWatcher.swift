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
        /// The time between two samples while a subscriber is in the foreground.
        package var sampleInterval: Duration
        /// The time between two samples while all subscribers are held.
        package var idleSampleInterval: Duration
        /// The near level that overrides the device's.
        package var nearLevel: Double?

        /// Creates settings.
        package init(sampleInterval: Duration, idleSampleInterval: Duration, nearLevel: Double?) {
            self.sampleInterval = sampleInterval
            self.idleSampleInterval = idleSampleInterval
            self.nearLevel = nearLevel
        }
    }

    package let aspect = Aspect.proximity
    private let settings: Settings
    private let context: WatcherContext
    private var watch: SensorWatch<ProximitySensor>?
    private var state = Proximity.unknown

    /// Creates a watcher that is off.
    package init(
        loop: EventLoop, feed: DeviceFeed, sampler: Sampler, settings: Settings, context: WatcherContext
    ) throws(SystemError) {
        self.settings = settings
        self.context = context
        watch = try SensorWatch(
            loop: loop, feed: feed, sampler: sampler, context: context,
            intervals: SampleIntervals(live: settings.sampleInterval, idle: settings.idleSampleInterval)
        ) { () throws(SystemError) in
            try ProximitySensor.candidates(nearLevel: settings.nearLevel).lazy.compactMap(\.sensor).first
        } sampled: { [weak self] sensor, sample throws(SystemError) in
            try self?.take(sample, of: sensor)
        } gone: { [weak self] in
            self?.report(.unknown)
        }
    }

    package var pace: Pace {
        get { watch?.pace ?? .off }
        set { watch?.pace = newValue }
    }

    package func refresh(then completion: @escaping () -> Void) {
        guard let watch else { return completion() }
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

    package var source: SourceDescription {
        do throws(SystemError) {
            let candidates = try ProximitySensor.candidates(nearLevel: settings.nearLevel)
            if let sensor = candidates.lazy.compactMap(\.sensor).first {
                return .available(sensor.title + (watch?.manner.map { ", " + $0 } ?? ""))
            }
            let ignored = candidates.map { "\($0.title) \($0.reason)" }.joined(separator: "; ")
            return .unavailable(ignored.isEmpty ? "no proximity sensor" : ignored)
        } catch {
            return .unavailable("\(error)")
        }
    }

    package func examine() -> Examination {
        var examination = Examination()
        do throws(SystemError) {
            let candidates = try ProximitySensor.candidates(nearLevel: settings.nearLevel)
            for candidate in candidates {
                examination.findings.append(Examination.Finding(candidate.title, candidate.reason))
                if let sensor = candidate.sensor { Self.examine(sensor, &examination) }
            }
            if !candidates.isEmpty, candidates.allSatisfy({ $0.sensor == nil }) {
                examination.advice.append(
                    "set proximity.nearLevel in the configuration to the lowest raw value of near")
            }
        } catch {
            examination.advice.append("sensors cannot be listed: \(error)")
        }
        return examination
    }

    private static func examine(_ sensor: ProximitySensor, _ examination: inout Examination) {
        func add(_ name: String, _ value: String) {
            examination.findings.append(Examination.Finding(name, value))
        }
        switch sensor.access {
        case .sampled(let channels):
            switch channels.readAttributes() {
            case .values(let values):
                add("raw", "\(values[0])")
                if let rule = sensor.rule { add("result", rule.state(at: values[0], last: .unknown).rawValue) }
            case .missing: add("raw", "the sensor has been removed")
            case .failed(let error): add("raw", "\(error)")
            }
        case .input(let node, _):
            do throws(SystemError) {
                let isNear = try InputDevice(node: node).isOn(switch: ProximitySensor.frontSwitch)
                add("raw", isNear ? "on" : "off")
                add("result", (isNear ? Proximity.near : .far).rawValue)
            } catch {
                add("raw", "\(error)")
                examination.advice.append("join the group input to read \(node)")
            }
        }
    }
}
