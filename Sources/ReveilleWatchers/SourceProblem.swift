// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// The current problem of a watcher's source, logged once while the problem lasts.
///
/// A class, because a report may cause another attempt before the first one has returned.
final class SourceProblem {
    private let context: WatcherContext
    private var current: String?

    init(_ context: WatcherContext) {
        self.context = context
    }

    func warn(_ problem: String) {
        if problem != current { context.warn(problem) }
        current = problem
    }

    /// Notes that the source works, so that the next problem is logged.
    func clear() {
        current = nil
    }

    /// Attempts to read the source; an error is a problem, and the previous reading is kept.
    @discardableResult
    func attempt<Value>(_ body: () throws(SystemError) -> Value) -> Value? {
        do throws(SystemError) {
            let value = try body()
            current = nil
            return value
        } catch {
            warn("\(error); the previous reading is kept")
            return nil
        }
    }
}
