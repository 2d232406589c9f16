// SPDX-License-Identifier: Apache-2.0

/// Work of a loop on another thread; loop thread only.
package protocol DetachedWork: AnyObject {
    /// Waits for the end of the work, and calls the completion now.
    func finish()
}

extension Loop {
    package func detach(
        _ work: @escaping @Sendable () -> Void, then completion: @escaping () -> Void
    ) throws(SystemError) -> any DetachedWork {
        try WorkThread(on: self, work, then: completion)
    }
}

/// A thread for one piece of work, which is rare: nothing is kept for the next one.
private final class WorkThread: DetachedWork {
    private let pipe: Pipe
    private var source: (any LoopSource)?
    private var completion: (() -> Void)?

    init(
        on loop: any Loop, _ work: @escaping @Sendable () -> Void, then completion: @escaping () -> Void
    ) throws(SystemError) {
        pipe = try Pipe()
        self.completion = completion
        // A flood of calls must not delay it.
        source = try loop.watch(pipe.readingEnd, for: .readable, priority: .watcher) { [weak self] _ in self?.end() }
        try Pthread.start { [pipe] in
            work()
            pipe.wake()
        }
    }

    deinit {
        // Before the descriptor is closed.
        source?.cancel()
    }

    func finish() {
        _ = pipe.waitForWake()
        end()
    }

    private func end() {
        source?.cancel()
        let completion = completion
        self.completion = nil
        completion?()
    }
}
