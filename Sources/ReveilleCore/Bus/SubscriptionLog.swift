// SPDX-License-Identifier: Apache-2.0

/// Which subscriptions began, changed and ended, for followers that each have seen a part of it.
///
/// A follower is a position in the log. What changes again before a follower reads is merged: the log has the last change
/// of each subscription, and an end only while a follower has seen the subscription and not its end.
package struct SubscriptionLog: Sendable {
    struct Change {
        let id: SubscriptionID
        let position: Int
        /// The position of the beginning; 0 if it was before the log's own.
        let beginning: Int
        var isEnd = false
    }

    /// The number of changes.
    package private(set) var position = 0
    /// The changes in ascending order of position; replaced ones are removed later.
    private(set) var changes: [Change] = []
    /// The last change of each subscription that has changed and has not ended.
    private var last: [SubscriptionID: Change] = [:]
    /// The number of changes after which replaced ones are removed.
    private var limit = Self.shortest
    /// Few enough to look at for each change.
    private static let shortest = 64

    package init() {}

    package mutating func begin(_ id: SubscriptionID) { append(id, beginning: position + 1) }

    package mutating func change(_ id: SubscriptionID) { append(id, beginning: last[id]?.beginning ?? 0) }

    package mutating func end(_ id: SubscriptionID) {
        append(id, beginning: last[id]?.beginning ?? 0, isEnd: true)
        last[id] = nil
    }

    private mutating func append(_ id: SubscriptionID, beginning: Int, isEnd: Bool = false) {
        position += 1
        let change = Change(id: id, position: position, beginning: beginning, isEnd: isEnd)
        changes.append(change)
        last[id] = change
    }

    /// Returns what a follower has not seen: the subscriptions to describe, and those it has seen that have ended.
    package func changes(since seen: Int) -> (current: [SubscriptionID], ended: [SubscriptionID]) {
        let unseen = changes.reversed().prefix { $0.position > seen }.reversed().filter { isCurrent($0) }
        return (
            unseen.filter { !$0.isEnd }.map(\.id), unseen.filter { $0.isEnd && $0.beginning <= seen }.map(\.id)
        )
    }

    private func isCurrent(_ change: Change) -> Bool { change.isEnd || last[change.id]?.position == change.position }

    /// Removes what no follower needs, once there may be much of it; `seen` has the position of each.
    package mutating func trim(_ seen: some Collection<Int>) {
        guard changes.count > limit else { return }
        changes = changes.filter { change in
            isCurrent(change) && seen.contains { $0 < change.position && (!change.isEnd || change.beginning <= $0) }
        }
        // Every follower has seen the beginnings of the others.
        let kept = Set(changes.map(\.id))
        last = last.filter { kept.contains($0.key) }
        limit = max(Self.shortest, 2 * changes.count)
    }
}
