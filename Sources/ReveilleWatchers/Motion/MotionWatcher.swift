// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleSystem

/// Watches the acceleration and rotation of the device, sample by sample.
package final class MotionWatcher: StreamWatcher {
    package let aspect = BuiltInAspect.motion
    private let feed: MotionFeed
    private let use: MotionFeed.Use
    private var last = Motion.unknown.takenAt

    package init(feed: MotionFeed, context: WatcherContext) {
        self.feed = feed
        use = feed.begin(context: context)
        use.sampled = { [weak self] motion in
            self?.last = motion.takenAt
            context.report(.motion(motion))
        }
        use.gone = { [weak self] in
            context.report(
                .motion(Motion(acceleration: nil, rotation: nil, takenAt: self?.last ?? Motion.unknown.takenAt)))
        }
    }

    package var interval: Duration = SampleInterval.usual {
        didSet { if pace == .live { use.interval = interval } }
    }

    package var pace: Pace = .off {
        didSet { use.interval = pace == .live ? interval : nil }
    }

    package func refresh(then completion: @escaping () -> Void) {
        feed.sample(for: use, then: completion)
    }

    package var source: SourceDescription {
        feed.finder.source { found throws(SystemError) in
            var devices: [MotionDevice] = []
            var problems: [String] = []
            for one in found {
                if let problem = try one.problem.get() { problems.append(problem) } else { devices.append(one.device) }
            }
            guard !devices.isEmpty else {
                let reason = problems.joined(separator: "; ")
                return .unavailable(reason.isEmpty ? "no accelerometer and no gyroscope" : reason)
            }
            let rate = pace == .live ? ", every \(Int(interval / .milliseconds(1))) ms" : ""
            return .available(
                devices.map(\.title).joined(separator: ", ") + (feed.manner.map { ", \($0)" } ?? "") + rate)
        }
    }

    package func examine() -> Examination { MotionExamination.examine(feed) }
}

/// Describes the steps from the values of sensors to acceleration and rotation, for a person.
enum MotionExamination {
    static func examine(_ feed: MotionFeed) -> Examination {
        Examination(orAdvice: "sensors cannot be listed") { () throws(SystemError) in
            var examination = Examination()
            for device in try MotionDevice.all(feed.settings) { examine(device, feed.settings, &examination) }
            return examination
        }
    }

    /// Adds the findings about one device; an error ends only these.
    private static func examine(
        _ device: MotionDevice, _ settings: OrientationWatcher.Settings, _ examination: inout Examination
    ) {
        do throws(SystemError) {
            try measure(device, settings, &examination)
        } catch {
            examination.add(error, of: device.access)
        }
    }

    private static func measure(
        _ device: MotionDevice, _ settings: OrientationWatcher.Settings, _ examination: inout Examination
    ) throws(SystemError) {
        examination.add("used", device.title)
        let sample: SensorSample
        switch device.access {
        case .sampled(let channels):
            let reader = IIOReader(channels)
            guard let values = examination.addSample(of: reader) else { return }
            sample = .values(values)
        case .input(let node, _):
            sample = .input(try InputDevice(node: node))
        }
        if let sensor = device.accelerometer {
            examination.add("matrix", "\(sensor.matrix) (\(sensor.matrixOrigin))")
        }
        if let gyroscope = device.gyroscope {
            examination.add("gyroscope's matrix", gyroscope.matrix.map { "\($0)" } ?? "as the accelerometer's")
        }
        examination.add("frame", settings.frame.rawValue)
        if let frequency = device.highestFrequency { examination.add("highest frequency", "\(frequency) Hz") }
        let values = try device.values(sample)
        if let accelerometer = device.accelerometer {
            let isStated = try accelerometer.statesUnit(sample)
            examination.add("acceleration in g", text(values.acceleration, isStated: isStated))
        }
        if let gyroscope = device.gyroscope {
            examination.add("rotation in rad/s", text(values.rotation, isStated: gyroscope.scale.isStated))
        } else if let rotation = values.rotation {
            examination.add("rotation in rad/s", rotation.description)
        }
    }

    private static func text(_ vector: Motion.Vector?, isStated: Bool) -> String {
        guard isStated else { return "unknown, since the driver does not state the unit" }
        return vector?.description ?? "not plausible"
    }
}
