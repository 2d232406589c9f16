// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleHost
package import ReveilleSystem

/// Watches the proximity sensor on the front of the device.
///
/// The kernel sends no event when a sensor's value changes, so the sensor is sampled while it is watched. A switch and
/// an input device with a distance send events.
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
        watch.gone = weakly(self) { $0.report(.unknown) }
    }

    package var pace: Pace {
        get { watch.pace }
        set { watch.pace = newValue }
    }

    package func refresh(then completion: @escaping () -> Void) {
        watch.refresh(then: completion)
    }

    package func update(then completion: @escaping () -> Void) {
        watch.refresh(isSearching: false, then: completion)
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
        watch.examine(
            advice:
                "set proximity.nearLevel in the configuration to the lowest raw value of near, or the greatest distance"
        ) {
            sensor, sample throws(SystemError) in
            let state = try sensor.state(sample, last: .unknown)
            return (try sensor.value(sample).map { "\($0)" } ?? (state == .near ? "on" : "off"), state.rawValue)
        }
    }
}

struct ProximitySensor: FoundSensor {
    /// `SW_FRONT_PROXIMITY` of linux/input-event-codes.h: 1 is near.
    static let frontSwitch = 0x0B
    /// `ABS_DISTANCE`, which grows as something moves away, and `ABS_X`.
    private static let (distanceAxis, xAxis) = (0x19, 0)

    let access: SensorAccess
    /// The rule that turns raw values into states; `nil` for a switch.
    let rule: ProximityRule?

    typealias Candidate = SensorCandidate<ProximitySensor>

    /// Finds all candidates, preferred ones first, with the configured near level if there is one.
    static func candidates(nearLevel: Double?) throws(SystemError) -> [Candidate] {
        let inputs = try UdevDevice.all(of: "input")
        return try UdevDevice.sensors().compactMap { candidate($0, nearLevel: nearLevel) }
            + inputs.compactMap(candidate) + inputs.compactMap { candidate(ofDistance: $0, nearLevel: nearLevel) }
    }

    private static func candidate(_ device: UdevDevice, nearLevel: Double?) -> Candidate? {
        let channels = ["in_proximity", "in_proximity0"]
        guard let channel = channels.first(where: { device.has($0 + "_raw") }) else { return nil }
        if ProximityRule.isForRadio(label: device.text("label")) {
            return Candidate(
                title: device.title, sensor: nil,
                reason: "ignored: it serves the radio (label \(device.text("label") ?? ""))")
        }
        let own = ("in_proximity_nearlevel", SysfsText.number(device.text("in_proximity_nearlevel")))
        return Self.candidate(
            device, .sampled(IIOChannels(device: device.path, names: [channel])), nearLevel: nearLevel, own: own)
    }

    /// Returns a sensor with the first valid near level; `own` is the device's.
    private static func candidate(
        _ device: UdevDevice, _ access: SensorAccess, nearLevel: Double?, own: (String, Double?)?
    ) -> Candidate {
        let isDistance = if case .input = access { true } else { false }
        let origins = [
            ("configuration", nearLevel),
            ("udev property PROXIMITY_NEAR_LEVEL", SysfsText.number(device.properties["PROXIMITY_NEAR_LEVEL"])),
        ]
        for (origin, level) in origins + (own.map { [$0] } ?? []) {
            guard let rule = ProximityRule(nearLevel: level, isDistance: isDistance) else { continue }
            let reason = "near \(isDistance ? "up to" : "from") \(rule.nearLevel) (\(origin))"
            return Candidate(
                title: device.title, sensor: ProximitySensor(access: access, rule: rule), reason: reason)
        }
        return Candidate(title: device.title, sensor: nil, reason: "ignored: it has no near level")
    }

    /// Returns an input device that measures a distance; a tablet, which measures that of its pen, only if udev's rules
    /// give it a near level.
    private static func candidate(ofDistance device: UdevDevice, nearLevel: Double?) -> Candidate? {
        guard let node = device.node, let axes = device.axes, axes.contains(distanceAxis) else { return nil }
        let isChosen = device.properties["PROXIMITY_NEAR_LEVEL"] != nil
        guard isChosen || !axes.contains(xAxis) else { return nil }
        // A driver may start the sensor when its node is opened.
        let axis = isChosen || nearLevel != nil ? nil : try? InputDevice(node: node).axis(distanceAxis)
        // A sensor with two values is a switch.
        let own = axis.flatMap { $0.maximum == $0.minimum + 1 ? ("its range", Double($0.minimum)) : nil }
        return candidate(device, .input(node, isStream: true), nearLevel: nearLevel, own: own)
    }

    private static func candidate(_ device: UdevDevice) -> Candidate? {
        guard let node = device.node, device.switches?.contains(frontSwitch) == true else { return nil }
        let sensor = ProximitySensor(access: .input(node, isStream: false), rule: nil)
        return Candidate(title: device.name, sensor: sensor, reason: "switch SW_FRONT_PROXIMITY")
    }

    /// Returns the raw value of a sample; `nil` for a switch.
    fileprivate func value(_ sample: SensorSample) throws(SystemError) -> Double? {
        switch sample {
        case .values(let values): values[0]
        case .input(let device): rule == nil ? nil : Double(try device.axis(Self.distanceAxis).value)
        }
    }

    fileprivate func state(_ sample: SensorSample, last: Proximity) throws(SystemError) -> Proximity {
        if let value = try value(sample) { return rule?.state(at: value, last: last) ?? .unknown }
        guard case .input(let device) = sample else { return .unknown }
        return try device.isOn(switch: Self.frontSwitch) ? .near : .far
    }
}
