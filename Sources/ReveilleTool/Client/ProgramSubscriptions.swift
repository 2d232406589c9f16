// SPDX-License-Identifier: Apache-2.0

import Reveille

/// The identifiers of a program's subscriptions, of which any may have ended since they were listed.
extension [String] {
    /// Changes each subscription, and returns those that have not ended.
    ///
    /// - Throws: The error of the change; `noSuchSubscription` if all have ended, or none was left to list.
    @discardableResult
    func changeEach(_ change: (String) async throws -> Void) async throws -> [String] {
        var changed: [String] = []
        var ending: ReveilleError?
        for id in self {
            do {
                try await change(id)
                changed.append(id)
            } catch let error as ReveilleError {
                guard error.code == .noSuchSubscription else { throw error }
                ending = error
            }
        }
        if changed.isEmpty {
            throw ending ?? ReveilleError(.noSuchSubscription, "the program has no subscription left")
        }
        return changed
    }
}

extension Shell {
    /// Suspends the program of some subscriptions.
    func suspend(program ids: [String], wakeAfter: Duration? = nil) async throws {
        // A cgroup is frozen only if none of its subscriptions is in the foreground.
        var ids = try await ids.changeEach { try await hold($0, wakeAfter: wakeAfter) }
        while let id = ids.popLast() {
            do {
                return try await suspend(id, wakeAfter: wakeAfter)
            } catch let error as ReveilleError {
                guard error.code == .noSuchSubscription, !ids.isEmpty else { throw error }
            }
        }
    }
}
