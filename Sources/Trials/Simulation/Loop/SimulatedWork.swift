// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// Work on a simulated thread, which a kill of the bus finds done or not.
final class SimulatedWork: DetachedWork {
    private var timer: SimulatedLoop.Source?
    private var work: (() -> Void)?
    private var completion: (() -> Void)?

    init(
        on loop: SimulatedLoop, after time: Duration, isEarly: Bool, _ work: @escaping () -> Void,
        then completion: @escaping () -> Void
    ) {
        self.completion = completion
        if isEarly { work() } else { self.work = work }
        timer = loop.makeTimer(priority: .watcher) { [weak self] in self?.finish() }
        timer?.fire(exactlyAfter: EventLoop.microseconds(time))
    }

    func finish() {
        timer?.cancel()
        work?()
        work = nil
        let completion = completion
        self.completion = nil
        completion?()
    }
}
