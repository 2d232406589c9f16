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
        watch.examine(advice: "set proximity.nearLevel in the configuration to the lowest raw value of near") {
            sensor, sample throws(SystemError) in
            let state = try sensor.state(sample, last: .unknown)
            guard case .values(let values) = sample else { return (state == .near ? "on" : "off", state.rawValue) }
            return ("\(values[0])", state.rawValue)
        }
    }
}

struct ProximitySensor: FoundSensor {
    /// `SW_FRONT_PROXIMITY` of linux/input-event-codes.h: 1 is near.
    static let frontSwitch = 0x0B

    let access: SensorAccess
    /// The rule that turns raw values into states; `nil` for a switch.
    let rule: ProximityRule?

    typealias Candidate = SensorCandidate<ProximitySensor>

    /// Finds all candidates, preferred ones first, with the configured near level if there is one.
    static func candidates(nearLevel: Double?) throws(SystemError) -> [Candidate] {
        try UdevDevice.sensors().compactMap { candidate($0, nearLevel: nearLevel) }
            + UdevDevice.all(of: "input").compactMap(candidate)
    }

    private static func candidate(_ device: UdevDevice, nearLevel: Double?) -> Candidate? {
        let channels = ["in_proximity", "in_proximity0"]
        guard let channel = channels.first(where: { device.has($0 + "_raw") }) else { return nil }
        if ProximityRule.isForRadio(label: device.text("label")) {
            return Candidate(
                title: device.title, sensor: nil,
                reason: "ignored: it serves the radio (label \(device.text("label") ?? ""))")
        }
        let origins = [
            ("configuration", nearLevel),
            ("udev property PROXIMITY_NEAR_LEVEL", SysfsText.number(device.properties["PROXIMITY_NEAR_LEVEL"])),
            ("in_proximity_nearlevel", SysfsText.number(device.text("in_proximity_nearlevel"))),
        ]
        for (origin, level) in origins {
            guard let rule = ProximityRule(nearLevel: level) else { continue }
            let sensor = ProximitySensor(
                access: .sampled(IIOChannels(device: device.path, names: [channel])), rule: rule)
            return Candidate(title: device.title, sensor: sensor, reason: "near from \(rule.nearLevel) (\(origin))")
        }
        return Candidate(title: device.title, sensor: nil, reason: "ignored: it has no near level")
    }

    private static func candidate(_ device: UdevDevice) -> Candidate? {
        guard let node = device.node, device.switches?.contains(frontSwitch) == true else { return nil }
        let sensor = ProximitySensor(access: .input(node, isStream: false), rule: nil)
        return Candidate(title: device.name, sensor: sensor, reason: "switch SW_FRONT_PROXIMITY")
    }

    fileprivate func state(_ sample: SensorSample, last: Proximity) throws(SystemError) -> Proximity {
        switch sample {
        case .input(let device): try device.isOn(switch: Self.frontSwitch) ? .near : .far
        case .values(let values): rule?.state(at: values[0], last: last) ?? .unknown
        }
    }
}
