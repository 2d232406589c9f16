// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Testing

@testable import ReveilleCore

@Suite struct SubscriptionLogTests {
    /// A follower, the subscriptions that it knows, and those that have changed since.
    private struct Follower {
        var seen: Int
        var known: Set<SubscriptionID>
        var unseen: Set<SubscriptionID> = []
    }

    private func sorted(_ ids: Set<SubscriptionID>) -> [SubscriptionID] { ids.sorted { $0.rawValue < $1.rawValue } }

    @Test("each follower learns what began, changed and ended since the last time, and the log stays short")
    func followersAreTold() throws {
        for seed: UInt64 in 1...200 {
            var random = SplitMix64(seed: seed)
            var log = SubscriptionLog()
            // Some are there before anybody follows.
            var current = Set((0..<4).map { SubscriptionID(rawValue: $0) })
            var followers: [Follower] = []
            for step: UInt64 in 0..<600 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<2 where current.count < 12:
                    let id = SubscriptionID(rawValue: 100 + step)
                    log.begin(id)
                    current.insert(id)
                    for index in followers.indices { followers[index].unseen.insert(id) }
                case 2..<4:
                    guard let id = sorted(current).randomElement(using: &random) else { break }
                    log.end(id)
                    current.remove(id)
                case 4..<7:
                    guard let id = sorted(current).randomElement(using: &random) else { break }
                    log.change(id)
                    for index in followers.indices { followers[index].unseen.insert(id) }
                case 7 where followers.count < 3:
                    followers.append(Follower(seen: log.position, known: current))
                case 8 where seed % 2 == 0 && !followers.isEmpty:
                    followers.removeLast()
                default:
                    guard let index = followers.indices.randomElement(using: &random) else { break }
                    let (changed, ended) = log.changes(since: followers[index].seen)
                    try #require(Set(changed) == followers[index].unseen.intersection(current))
                    try #require(Set(ended) == followers[index].known.subtracting(current))
                    try #require(changed.count + ended.count == Set(changed + ended).count)
                    followers[index] = Follower(seen: log.position, known: current)
                }
                log.trim(followers.map(\.seen))
                // Twice what each follower may have to learn, and what is not removed at once.
                try #require(log.changes.count <= 64 + 2 * 2 * 12 * (1 + followers.count))
            }
        }
    }
}
