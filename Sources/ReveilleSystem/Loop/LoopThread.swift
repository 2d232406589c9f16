// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A thread that turns an event loop, and runs the jobs of actors between its events.
///
/// Actors that have it as their executor may use the loop, its sources and whatever else belongs to one thread.
/// Whoever makes it ends it by ``stop()``.
package final class LoopThread: SerialExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var isStopping = false
    }

    /// The loop; only jobs of this executor, and what the loop itself calls, may use it.
    package nonisolated(unsafe) let loop: EventLoop
    private let queue = Lock(Queue())
    private let pipe: Pipe

    /// Starts the thread.
    ///
    /// - Throws: `SystemError` when there is no room for a thread, a loop or a pipe.
    package init() throws(SystemError) {
        // Made here to fail here; nobody uses it until the thread does.
        loop = try EventLoop()
        pipe = try Pipe()
        try Pthread.start { self.run() }
    }

    /// Ends the thread once the jobs that wait have run; nothing may be enqueued after it.
    package func stop() {
        queue.withLock { $0.isStopping = true }
        pipe.wake()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wasEmpty = queue.withLock { queue in
            queue.jobs.append(job)
            return queue.jobs.count == 1
        }
        if wasEmpty { pipe.wake() }
    }

    private func run() {
        do throws(SystemError) {
            let source = try loop.watch(pipe.readingEnd, for: .readable) { [unowned self] _ in turn() }
            try loop.run()
            source.cancel()
        } catch {
            preconditionFailure("the loop of a thread ended: \(error)")
        }
    }

    private func turn() {
        pipe.drain()
        let (jobs, isStopping) = queue.withLock { queue in
            defer { queue.jobs = [] }
            return (queue.jobs, queue.isStopping)
        }
        for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
        if isStopping { loop.exit() }
    }
}
