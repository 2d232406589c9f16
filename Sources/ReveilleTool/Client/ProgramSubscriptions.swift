// SPDX-License-Identifier: Apache-2.0

import Reveille

/// The identifiers of a program's subscriptions, of which any may have ended since they were listed.
extension [String] {
    /// Changes each subscription.
    ///
    /// - Throws: The error of the change; `noSuchSubscription` if all have ended, or none was listed.
    func changeEach(_ change: (String) async throws -> Void) async throws {
        if try await changeLiving(change).isEmpty { throw ReveilleError.noneLeft }
    }

    /// Changes each subscription, and returns those that have not ended.
    fileprivate func changeLiving(_ change: (String) async throws -> Void) async throws -> [String] {
        var changed: [String] = []
        for id in self {
            do {
                try await change(id)
                changed.append(id)
            } catch let error as ReveilleError {
                guard error.code == .noSuchSubscription else { throw error }
            }
        }
        return changed
    }
}

extension ReveilleError {
    fileprivate static var noneLeft: Self { Self(.noSuchSubscription, "the program has no subscription left") }
}

extension Shell {
    /// Suspends the program of some subscriptions.
    func suspend(program ids: [String], wakeAfter: Duration? = nil) async throws {
        // A cgroup is frozen only if none of its subscriptions is in the foreground. The one that is suspended is not held
        // before, which would thaw a program that is frozen already.
        let held = try await ids.dropLast().map(\.self).changeLiving { try await hold($0, wakeAfter: wakeAfter) }
        for id in ids.suffix(1) + held.reversed() {
            do {
                return try await suspend(id, wakeAfter: wakeAfter)
            } catch let error as ReveilleError {
                guard error.code == .noSuchSubscription else { throw error }
            }
        }
        throw ReveilleError.noneLeft
    }
}
