// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleSystem
package import ReveilleWatchers

/// A watcher of motion whose samples are all equal.
package final class SimulatedMotion: StreamWatcher {
    /// The sample, except for its time.
    package static let acceleration = Motion.Vector(x: 0, y: -1, z: 0)

    package let aspect = BuiltInAspect.motion
    private let loop: SimulatedLoop
    private let report: (Reading) -> Void
    private var timer: SimulatedLoop.Source?
    /// The number of samples so far.
    package private(set) var samples = 0

    init(loop: SimulatedLoop, report: @escaping (Reading) -> Void) {
        self.loop = loop
        self.report = report
        timer = loop.makeTimer(priority: .watcher) { [weak self] in self?.sample() }
    }

    package var interval: Duration = SampleInterval.usual {
        didSet { if pace == .live, interval != oldValue { timer?.fire(after: interval) } }
    }

    package var pace: Pace = .off {
        didSet {
            guard pace != oldValue else { return }
            if pace == .live { timer?.fire(after: interval) } else { timer?.disarm() }
        }
    }

    private func sample() {
        timer?.fire(after: interval)
        take()
    }

    private func take() {
        samples += 1
        let time = Timestamp(microseconds: loop.wallClock)
        report(.motion(Motion(acceleration: Self.acceleration, rotation: nil, takenAt: time)))
    }

    package func refresh(then completion: @escaping () -> Void) {
        take()
        completion()
    }

    package var source: SourceDescription { .available("simulated") }

    package func examine() -> Examination { Examination() }
}
