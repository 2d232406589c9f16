// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// A task whose end the main thread awaits, by blocking or in its loop; safe to use from any thread.
///
/// Commands are synchronous because signals are handled on the main thread.
final class AwaitedTask: Sendable {
    /// Becomes readable when the task has ended.
    let end: Pipe
    private let failure = Lock<(any Error)?>(nil)

    /// Creates a task without starting it, because threads inherit the signal mask with which they are started.
    init() throws(SystemError) {
        end = try Pipe()
    }

    /// Starts the task; called once.
    func start(_ body: @escaping @Sendable () async throws -> Void) {
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
    func fail(_ error: any Error) {
        failure.withLock { $0 = error }
        end.wake()
    }

    /// Throws the error that ended the wait, if any.
    func check() throws {
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
