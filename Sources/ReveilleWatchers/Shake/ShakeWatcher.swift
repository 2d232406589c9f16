// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem

/// Watches for shakes of the device, with the sensor that ``MotionWatcher`` uses too.
package final class ShakeWatcher: Watcher {
    package let aspect = BuiltInAspect.shake
    private let loop: EventLoop
    private let feed: MotionFeed
    private let use: MotionFeed.Use
    private let context: WatcherContext
    private var rule = ShakeRule()

    package init(loop: EventLoop, feed: MotionFeed, context: WatcherContext) {
        self.loop = loop
        self.feed = feed
        self.context = context
        use = feed.begin(context: context)
        use.sampled = weakly(self) { $0.take($1) }
        use.gone = weakly(self) { $0.rule = ShakeRule() }
    }

    package var pace: Pace = .off {
        didSet {
            guard pace != oldValue else { return }
            // A shake that was not over is canceled.
            rule = ShakeRule()
            use.interval = pace == .live ? ShakeRule.restingInterval : nil
        }
    }

    private func take(_ motion: Motion) {
        guard let acceleration = motion.acceleration else { return }
        let now = loop.now
        if let shake = rule.take(acceleration.length, at: now) { context.report(.shake(shake)) }
        // The report may have ended the watch.
        if pace == .live { use.interval = rule.interval(at: now) }
    }

    /// There is nothing to read: a shake is reported when it happens.
    package func refresh(then completion: @escaping () -> Void) {
        completion()
    }

    package var source: SourceDescription {
        feed.finder.source { found throws(SystemError) in
            guard let device = found.first?.device else {
                return .unavailable("no accelerometer")
            }
            if let problem = try device.accelerationProblem() { return .unavailable(problem) }
            let rate = rule.rate ?? device.highestFrequency ?? .infinity
            guard rate >= ShakeRule.lowestRate else {
                let samples = Int(rate.rounded()) == 1 ? "1 sample" : "\(Int(rate.rounded())) samples"
                return .unavailable(
                    "\(device.title) gives \(samples) a second; at least \(Int(ShakeRule.lowestRate)) are needed")
            }
            return .available(device.title + (feed.manner.map { ", \($0)" } ?? ""))
        }
    }

    package func examine() -> Examination { MotionExamination.examine(feed) }
}
