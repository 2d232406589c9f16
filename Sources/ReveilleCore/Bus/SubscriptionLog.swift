// SPDX-License-Identifier: Apache-2.0

/// The subscriptions that began, changed or ended, for followers that have each seen a part of the log.
///
/// A follower is a position in the log. Changes that a follower has not read are merged: the log has the last change of
/// each subscription, and an end only while a follower has seen the subscription and not its end.
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
    /// Few enough to search each time.
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

    /// Returns the changes that a follower has not seen: subscriptions to describe, and known ones that have ended.
    package func changes(since seen: Int) -> (current: [SubscriptionID], ended: [SubscriptionID]) {
        let unseen = changes.reversed().prefix { $0.position > seen }.reversed().filter { isCurrent($0) }
        return (
            unseen.filter { !$0.isEnd }.map(\.id), unseen.filter { $0.isEnd && $0.beginning <= seen }.map(\.id)
        )
    }

    private func isCurrent(_ change: Change) -> Bool { change.isEnd || last[change.id]?.position == change.position }

    /// Removes changes that no follower needs, once there may be many; `seen` has the position of each follower.
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
