// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread that runs an event loop, and the jobs of actors between its events.
///
/// Actors with this executor may use the loop, its sources and other objects that belong to one thread. The
/// thread ends after its last actor is released, so no job arrives too late to run. Tasks that prefer this executor run
/// here too, and need no other thread.
package final class LoopThread: SerialExecutor, TaskExecutor {
    private let turner: LoopTurner

    /// The loop, to be used only by jobs of this executor and by callbacks of the loop.
    package var loop: EventLoop { turner.loop }

    package init() throws(SystemError) {
        let turner = try LoopTurner()
        try Pthread.start { turner.run() }
        self.turner = turner
    }

    deinit {
        turner.stop()
    }

    /// Callbacks of the loop run on the thread just as jobs do, and may be closures of its actors.
    package func isIsolatingCurrentContext() -> Bool? {
        turner.isCurrent
    }

    package func checkIsolated() {
        precondition(turner.isCurrent, "called on a thread other than the loop's")
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        turner.enqueue(UnownedJob(job), of: asUnownedSerialExecutor())
    }
}

/// The state shared by a ``LoopThread`` and its thread; the thread retains the state while running.
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
        // Created here so that errors surface here; only the thread uses it.
        loop = try EventLoop()
        pipe = try Pipe()
    }

    /// Ends the thread after the pending jobs have run.
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

    /// Whether the current thread is the loop's.
    var isCurrent: Bool { thread.withLock { $0 == pthread_self() } }

    func run() {
        thread.withLock { $0 = pthread_self() }
        do throws(SystemError) {
            let source = try loop.watch(pipe.readingEnd, for: .readable) { [unowned self] _ in turn() }
            try loop.run()
            source.cancel()
        } catch {
            preconditionFailure("event loop of a thread failed: \(error)")
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
