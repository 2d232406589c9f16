// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleCore
import ReveilleHost
package import ReveilleSystem

/// Watches the ambient light sensor, which is sampled because the kernel reports no changes of its value.
package final class LightWatcher: Watcher {
    package struct Settings: Sendable {
        /// The time between samples while a subscriber is in the foreground: screens follow the light slowly.
        package var sampleInterval: Duration = .seconds(1)

        package init() {}
    }

    package let aspect = BuiltInAspect.light
    private let context: WatcherContext
    private let watch: SensorWatch<LightSensor>
    /// The last report; `nil` before the first report since the watcher was off.
    private var reported: Light?

    /// Creates a watcher that is off; `idleInterval` is the time between samples while all subscribers are held.
    package init(
        loop: EventLoop, timer: SharedTimer, feed: DeviceFeed, settings: Settings, idleInterval: Duration,
        context: WatcherContext
    ) throws(SystemError) {
        self.context = context
        watch = SensorWatch(
            loop: loop, timer: timer, feed: feed, context: context,
            intervals: SampleIntervals(live: settings.sampleInterval, idle: idleInterval)
        ) { () throws(SystemError) in try UdevDevice.sensors().compactMap(LightSensor.candidate) }
        watch.sampled = { [weak self] sensor, sample throws(SystemError) in try self?.take(sample, of: sensor) }
        watch.gone = weakly(self) { $0.report(.unknown) }
    }

    package var pace: Pace {
        get { watch.pace }
        set {
            if newValue == .off { reported = nil }
            watch.pace = newValue
        }
    }

    package func refresh(then completion: @escaping () -> Void) {
        if pace == .off { reported = nil }
        watch.refresh(then: completion)
    }

    package func update(then completion: @escaping () -> Void) {
        watch.refresh(isSearching: false, then: completion)
    }

    private func take(_ sample: SensorSample, of sensor: LightSensor) throws(SystemError) {
        guard case .values(let values) = sample else { return }
        guard let lux = sensor.rule.lux(values[0]) else {
            throw SystemError("convert \(values[0]) to lux", on: "the light sensor", code: ERANGE)
        }
        report(Light(lux: lux))
    }

    /// Reports a reading, or repeats the last report if the two hardly differ.
    private func report(_ light: Light) {
        let reading = LightRule.isReported(light, after: reported) ? light : reported ?? light
        reported = reading
        context.report(.light(reading))
    }

    package var source: SourceDescription { watch.source(orElse: "no light sensor") }

    package func examine() -> Examination {
        watch.examine(advice: "the driver reports a scale that is not positive: file a bug against it") {
            sensor, sample throws(SystemError) in
            guard case .values(let values) = sample else { return ("none", "none") }
            let lux = sensor.rule.lux(values[0])
            return (
                "\(values[0])",
                lux.map { "\(Light(lux: $0))" } ?? "ignored: not from 0 to \(Int(LightRule.limit)) lux"
            )
        }
    }
}

struct LightSensor: FoundSensor {
    let access: SensorAccess
    let rule: LightRule

    typealias Candidate = SensorCandidate<LightSensor>

    fileprivate static func candidate(_ device: UdevDevice) -> Candidate? {
        for channel in ["in_illuminance", "in_illuminance0"] {
            // A processed value is in lux.
            for (suffix, isProcessed) in [("input", true), ("raw", false)] where device.has("\(channel)_\(suffix)") {
                let scale = isProcessed ? 1 : scale(of: channel, device)
                let offset = isProcessed ? 0 : SysfsText.number(device.text(channel + "_offset")) ?? 0
                guard let rule = LightRule(offset: offset, scale: scale) else {
                    return Candidate(title: device.title, sensor: nil, reason: "ignored: its scale is \(scale)")
                }
                let channels = IIOChannels(device: device.path, names: [channel], suffix: suffix)
                let reason = isProcessed ? "in lux" : "raw + \(offset), times \(scale) lux"
                return Candidate(
                    title: device.title, sensor: LightSensor(access: .sampled(channels), rule: rule), reason: reason)
            }
        }
        return nil
    }

    /// The scale of a raw value; 1 if the driver has no scale, and 0 if the scale is not a number.
    private static func scale(of channel: String, _ device: UdevDevice) -> Double {
        guard let text = device.text(channel + "_scale") else { return 1 }
        return SysfsText.number(text) ?? 0
    }
}
