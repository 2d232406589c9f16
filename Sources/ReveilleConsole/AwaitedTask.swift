// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem

/// A task that the main thread awaits, by blocking or in its loop; safe to use from any thread.
///
/// Commands are synchronous so that the main thread can block signals before it starts another one.
package final class AwaitedTask: Sendable {
    /// Becomes readable when the task has ended.
    package let end: Pipe
    private let failure = Lock<(any Error)?>(nil)

    /// The descriptors that the threads of tasks use, and a few for the task itself.
    private static let descriptors = 16
    /// The number of threads that a task and its dependencies use at the same time.
    private static let threads = 4

    /// Creates a task without starting it, because threads inherit the signal mask.
    ///
    /// - Throws: `Failure` if there are too few descriptors or threads. The runtime, which uses libdispatch, would
    ///   crash without descriptors, and wait forever for a thread.
    package init() throws(Failure) {
        do throws(SystemError) {
            end = try Pipe()
            try DescriptorLimit.probe(Self.descriptors, beside: end.readingEnd)
            try Pthread.probe(Self.threads)
        } catch {
            throw Failure(
                .tryAgain, "\(Self.descriptors) more descriptors and \(Self.threads) more threads are needed: \(error)")
        }
    }

    /// Starts the task; called once.
    ///
    /// The thread is for a body that never blocks; without it, the task has the runtime's threads, one of which wakes
    /// up every second.
    package func start(on thread: LoopThread? = nil, _ body: sending @escaping () async throws -> Void) {
        Task(executorPreference: thread) { [self] in
            do {
                try await body()
                end.wake()
            } catch {
                fail(error)
            }
        }
    }

    /// Blocks this thread until the task has ended, and throws its error.
    package func wait() throws {
        _ = end.waitForWake()
        try check()
    }

    package func fail(_ error: any Error) {
        failure.withLock { $0 = error }
        end.wake()
    }

    /// Throws the error that ended the wait, if any.
    package func check() throws {
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
