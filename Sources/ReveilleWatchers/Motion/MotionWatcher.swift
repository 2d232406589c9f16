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
        SourceDescription { () throws(SystemError) in
            var devices: [MotionDevice] = []
            var problems: [String] = []
            for device in try MotionDevice.all(feed.settings) {
                if let problem = try device.problem() { problems.append(problem) } else { devices.append(device) }
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
