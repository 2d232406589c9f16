// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleSystem

/// The runs of a program, one at a time, between the stream that requests them and the main thread that performs them.
final class ProgramRuns: Sendable {
    /// A requested run, which is answered exactly once.
    struct Request: Sendable {
        let event: Event
        /// Takes the exit code.
        let answer: CheckedContinuation<Int32, any Error>
    }

    private struct State {
        var request: Request?
        /// Whether a run has been requested, and its result has not been processed yet.
        var isBusy = false
        var isEnding = false
    }

    /// Becomes readable when there is a request.
    let requests: Pipe
    private let state = Lock(State())

    init() throws(SystemError) {
        requests = try Pipe()
    }

    // MARK: - Stream

    /// Requests a run, and waits for its exit code.
    ///
    /// - Throws: The error that prevented the run.
    func run(for event: Event) async throws -> Int32 {
        try await withCheckedThrowingContinuation { answer in
            state.withLock { state in
                state.request = Request(event: event, answer: answer)
                state.isBusy = true
            }
            requests.wake()
        }
    }

    /// Marks the result of the last run as processed, and returns whether more runs can be requested.
    func finish() -> Bool {
        state.withLock { state in
            state.isBusy = false
            return !state.isEnding
        }
    }

    // MARK: - Main thread

    /// Takes the request.
    func next() -> Request? {
        requests.drain()
        return state.withLock { state in
            defer { state.request = nil }
            return state.request
        }
    }

    /// Prevents further runs, and returns whether the stream still has to process the result of one.
    func end() -> Bool {
        state.withLock { state in
            state.isEnding = true
            return state.isBusy
        }
    }
}
