// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A thread that turns an event loop, and runs the jobs of actors between its events.
///
/// Actors that have it as their executor may use the loop, its sources and whatever else belongs to one thread. The
/// thread ends when its last actor is gone, so no job can come too late to be run.
package final class LoopThread: SerialExecutor {
    private let turner: LoopTurner

    /// The loop; only jobs of this executor, and what the loop itself calls, may use it.
    package var loop: EventLoop { turner.loop }

    /// Starts the thread.
    ///
    /// - Throws: `SystemError` when there is no room for a thread, a loop or a pipe.
    package init() throws(SystemError) {
        let turner = try LoopTurner()
        try Pthread.start { turner.run() }
        self.turner = turner
    }

    deinit {
        turner.stop()
    }

    /// What the loop calls runs on the thread as the jobs do, so closures of its actors may be among it.
    package func isIsolatingCurrentContext() -> Bool? {
        turner.isCurrent
    }

    package func checkIsolated() {
        precondition(turner.isCurrent, "called on another thread than its loop's")
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        turner.enqueue(UnownedJob(job), of: asUnownedSerialExecutor())
    }
}

/// What a ``LoopThread`` and its thread share; the thread keeps it for as long as it runs.
private final class LoopTurner: Sendable {
    private struct Queue {
        var jobs: [(job: UnownedJob, executor: UnownedSerialExecutor)] = []
        var isStopping = false
    }

    nonisolated(unsafe) let loop: EventLoop
    private let queue = Lock(Queue())
    private let thread = Lock<pthread_t?>(nil)
    private let pipe: Pipe

    init() throws(SystemError) {
        // Made here to fail here; nobody uses it until the thread does.
        loop = try EventLoop()
        pipe = try Pipe()
    }

    /// Ends the thread once the jobs that wait have run.
    func stop() {
        queue.withLock { $0.isStopping = true }
        pipe.wake()
    }

    func enqueue(_ job: UnownedJob, of executor: UnownedSerialExecutor) {
        let wasEmpty = queue.withLock { queue in
            queue.jobs.append((job, executor))
            return queue.jobs.count == 1
        }
        if wasEmpty { pipe.wake() }
    }

    /// Whether this is the loop's thread.
    var isCurrent: Bool { thread.withLock { $0 == pthread_self() } }

    func run() {
        thread.withLock { $0 = pthread_self() }
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
        for (job, executor) in jobs { job.runSynchronously(on: executor) }
        if isStopping { loop.exit() }
    }
}
