// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
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
    /// The loop with the clocks that programs see: ``loop``, or in tests one with clocks of its own.
    package var time: any Loop { turner.time }

    package init(time: (EventLoop) -> any Loop = { $0 }) throws(SystemError) {
        let turner = try LoopTurner(time: time)
        try turner.open()
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
    nonisolated(unsafe) let time: any Loop
    private let queue = Lock(Queue())
    private let thread = Lock<pthread_t?>(nil)
    private let pipe: Pipe
    private nonisolated(unsafe) var source: EventSource?

    init(time: (EventLoop) -> any Loop) throws(SystemError) {
        // Created here so that errors surface here; only the thread uses them.
        loop = try EventLoop()
        self.time = time(loop)
        pipe = try Pipe()
    }

    /// Lets jobs wake the loop; called before the thread starts, for the same reason.
    func open() throws(SystemError) {
        source = try loop.watch(pipe.readingEnd, for: .readable) { [unowned self] _ in turn() }
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

    var isCurrent: Bool { thread.withLock { $0 == pthread_self() } }

    func run() {
        thread.withLock { $0 = pthread_self() }
        do throws(SystemError) {
            try loop.run()
            source?.cancel()
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

/// A system thread for blocking work.
package enum Pthread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Throws if a number of threads cannot run at the same time now.
    package static func probe(_ count: Int) throws(SystemError) {
        let gate = Lock(())
        var started: [pthread_t] = []
        defer { for thread in started { pthread_join(thread, nil) } }
        try gate.withLock { _ throws(SystemError) in
            for _ in 0..<count { started.append(try create { gate.withLock { _ in } }) }
        }
    }

    /// Runs a closure on a detached thread, in which all signals are blocked.
    package static func start(_ run: @escaping @Sendable () -> Void) throws(SystemError) {
        pthread_detach(try create(run))
    }

    private static func create(_ run: @escaping @Sendable () -> Void) throws(SystemError) -> pthread_t {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        // A new thread inherits the signal mask of its creator.
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let body = Unmanaged.passRetained(Body(run))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard result == 0 else {
            body.release()
            throw SystemError("pthread_create", code: result)
        }
        return thread
    }
}
