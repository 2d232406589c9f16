// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

/// Tallies: aspects that count each occurrence, even if two are equal.
@Suite struct TallyTests {
    private let driver = BusDriver()

    @Test("B148: three shakes while a subscriber sleeps are one event that counts them")
    func occurrencesAreCounted() {
        let id = driver.subscribe(SubscriptionRequest(aspects: [.shake]))
        driver.background(id)
        var times: [Timestamp] = []
        for peak in [2.0, 2.0, 3.0] { times.append(driver.report(.shake(peak))) }
        driver.foreground(id)
        let events = driver.events(of: id)
        #expect(events.map(\.changeCount) == [3])
        #expect(events.first?.shake?.peak == 3)
        #expect(events.first?.firstChangedAt == times[0])
        #expect(events.first?.changedAt == times[2])
        #expect(events.first?.isNetChange == true)
    }

    @Test("equal occurrences are changes, which net changes contain") func equalOccurrencesAreChanges() {
        let id = driver.subscribe(
            SubscriptionRequest(aspects: [.shake], policies: [.shake: Policy(netChangeOnly: true)]))
        for _ in 0..<2 {
            driver.report(.shake(2))
            #expect(driver.events(of: id).map(\.isNetChange) == [true])
        }
        driver.post(.shake(2))
        #expect(driver.events(of: id).map(\.changeCount) == [1])
    }

    @Test("the first occurrence is a change too") func firstOccurrenceCounts() {
        let driver = BusDriver(restoring: SavedState(instance: "one"))
        let id = driver.subscribe(SubscriptionRequest(aspects: [.shake]))
        driver.report(.shake(2))
        #expect(driver.events(of: id).map(\.changeCount) == [1])
    }

    @Test("merged events of occurrences are net changes") func mergedEventsAreNetChanges() throws {
        let id = driver.subscribe(SubscriptionRequest(aspects: [.shake]))
        driver.report(.shake(2))
        let first = try #require(driver.events(of: id).first)
        driver.report(.shake(3))
        let second = try #require(driver.events(of: id).first)
        let merged = first.merged(with: second, lastSeen: .shake(3))
        #expect(merged.changeCount == 2)
        #expect(merged.isNetChange)
    }
}
