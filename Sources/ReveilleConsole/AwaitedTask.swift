// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleSystem

/// A task whose end the main thread awaits, by blocking or in its loop; safe to use from any thread.
///
/// Commands are synchronous because signals are handled on the main thread.
package final class AwaitedTask: Sendable {
    /// Becomes readable when the task has ended.
    package let end: Pipe
    private let failure = Lock<(any Error)?>(nil)

    /// Creates a task without starting it, because threads inherit the signal mask with which they are started.
    package init() throws(SystemError) {
        end = try Pipe()
    }

    /// Starts the task; called once.
    package func start(_ body: @escaping @Sendable () async throws -> Void) {
        Task {
            do {
                try await body()
                end.wake()
            } catch {
                fail(error)
            }
        }
    }

    /// Ends the wait with an error.
    package func fail(_ error: any Error) {
        failure.withLock { $0 = error }
        end.wake()
    }

    /// Throws the error that ended the wait, if any.
    package func check() throws {
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
