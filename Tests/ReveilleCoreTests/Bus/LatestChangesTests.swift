// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

/// The latest changes of an aspect that the bus keeps.
@Suite struct LatestChangesTests {
    private let driver = BusDriver(history: 4)

    @Test func eachChangeIsAnEventOldestFirst() {
        let times = [80, 79, 80].map { driver.report(.level($0)) }
        driver.report(.proximity(.near))
        let changes = driver.bus.changes(of: .battery)
        #expect(changes.map(\.reading) == [.level(80), .level(79), .level(80)])
        #expect(changes.map(\.generation) == [1, 2, 3])
        #expect(changes.map(\.sequence) == [1, 2, 3])
        #expect(changes.map(\.changedAt) == times)
        #expect(changes.map(\.firstChangedAt) == times)
        #expect(changes.allSatisfy { $0.changes == 1 && $0.netChange && $0.dropped == 0 })
        #expect(driver.bus.changes(of: .proximity).map(\.sequence) == [4])
    }

    @Test(arguments: [(1, [6]), (3, [4, 5, 6]), (4, [3, 4, 5, 6]), (5, [3, 4, 5, 6]), (.max, [3, 4, 5, 6])])
    func limitKeepsTheNewest(limit: Int, generations: [Int]) {
        for level in 1...6 { driver.report(.level(level)) }
        #expect(driver.bus.changes(of: .battery, limit: limit).map(\.generation) == generations)
    }

    @Test func stateAtTheStartIsNotAChange() {
        #expect(driver.bus.changes(of: .battery).isEmpty)
        driver.report(.level(80))
        #expect(driver.bus.changes(of: .battery).map(\.generation) == [1])
        #expect(driver.bus.changes(of: .battery, limit: 2).map(\.generation) == [1])
    }

    @Test func askingBeforeTheFirstReadingDoesNotMakeItAChange() {
        let driver = BusDriver(restoring: SavedState(instance: "one"))
        #expect(driver.bus.changes(of: .battery).isEmpty)
        driver.report(.level(80))
        #expect(driver.bus.changes(of: .battery).isEmpty)
        #expect(driver.state(.battery).generation == 0)
    }

    @Test func nothingCountsAsDelivered() {
        let id = driver.subscribe()
        driver.background(id)
        for level in [80, 79] { driver.report(.level(level)) }
        let before = driver.status(id)
        #expect(driver.bus.changes(of: .battery).count == 2)
        #expect(driver.status(id) == before)
        driver.foreground(id)
        #expect(driver.events(of: id).map(\.changes) == [2])
    }

    @Test func oldestChangeAfterARestartIsTheLastOneBeforeIt() {
        let times = [80, 79].map { driver.report(.level($0)) }
        let restarted = BusDriver(restoring: driver.bus.savedState)
        restarted.report(.level(79))
        restarted.report(.level(78))
        let changes = restarted.bus.changes(of: .battery)
        #expect(changes.map(\.generation) == [2, 3])
        #expect(changes.map(\.reading) == [.level(79), .level(78)])
        #expect(changes.first?.changedAt == times[1])
        #expect(restarted.bus.changes(of: .proximity).isEmpty)
    }

    // MARK: - Names

    private static let name: Aspect = "org.example.volume"

    @discardableResult
    private func publish(_ value: String?, on driver: BusDriver) -> Bool {
        driver.bus.publish(Self.name, value.map { Array($0.utf8) }, by: Publisher(user: 1), at: driver.now)
    }

    private func values(on driver: BusDriver) -> [String?] {
        driver.bus.changes(of: Self.name).map { $0.published?.json }
    }

    @Test func valuesAndWithdrawalsOfANameAreChanges() {
        driver.report(.level(80))
        #expect(values(on: driver).isEmpty)
        let id = driver.subscribe(SubscriptionRequest(aspects: [Self.name]))
        #expect(values(on: driver).isEmpty, "a subscription to a name is not a change of it")
        for value in ["{}", #"{"a":1}"#, nil] { publish(value, on: driver) }
        #expect(values(on: driver) == ["{}", #"{"a":1}"#, nil])
        #expect(driver.bus.changes(of: Self.name).map(\.changes) == [1, 1, 1])
        #expect(driver.bus.changes(of: Self.name, limit: 1).map(\.sequence) == [4])
        driver.bus.cancel(id)
        #expect(values(on: driver).isEmpty, "the name is forgotten")
        publish("{}", on: driver)
        #expect(values(on: driver) == ["{}"])
    }

    @Test func lastValueOfANameIsKeptOverARestart() {
        for value in ["{}", #"{"a":1}"#] { publish(value, on: driver) }
        let restarted = BusDriver(restoring: driver.bus.savedState)
        #expect(values(on: restarted) == [#"{"a":1}"#])
        publish(nil, on: restarted)
        #expect(values(on: restarted).isEmpty, "the name is forgotten")
    }

    @Test func nameThatWasNeverPublishedHasNoChangesAfterARestart() {
        driver.report(.level(80))
        _ = driver.subscribe(SubscriptionRequest(aspects: [Self.name]))
        let restarted = BusDriver(restoring: driver.bus.savedState)
        #expect(values(on: restarted).isEmpty)
        publish("{}", on: restarted)
        #expect(values(on: restarted) == ["{}"])
    }

    // MARK: - Settings

    @Test func settingsListTheKeysOfEachChange() {
        driver.report(.settings(["app": ["a": 1]]))
        driver.report(.settings(["app": ["a": 1, "b": 1]]))
        driver.report(.settings(["app": ["b": 1]]))
        let changes = driver.bus.changes(of: .defaults)
        #expect(changes.map { $0.settings.map(\.keys) } == [[["a"]], [["b"]], [["a"]]])
        #expect(changes.map(\.reading) == [.unknown(.defaults), .unknown(.defaults), .settings(["app": ["b": 1]])])
    }

    @Test func changesOfTooManySettingsAreLeftOut() {
        let driver = BusDriver()
        let key = String(repeating: "k", count: 100_000)
        for value in 1...100 { driver.report(.settings(["app": [key: UInt64(value)]])) }
        let generations = driver.bus.changes(of: .defaults).map(\.generation)
        #expect(generations == Array(60...100), "4 MiB of names")
        let longest = String(repeating: "k", count: 5 << 20)
        driver.report(.settings(["app": [longest: 1]]))
        #expect(driver.bus.changes(of: .defaults).map(\.generation) == [101], "the last change is never left out")
    }

    @Test func settingsChangedBeforeARestartListAllKeys() {
        driver.report(.settings(["app": ["a": 1]]))
        driver.report(.settings(["app": ["a": 1, "b": 1]]))
        let restarted = BusDriver(restoring: driver.bus.savedState)
        #expect(restarted.bus.changes(of: .defaults).map { $0.settings.map(\.keys) } == [[["a", "b"]]])
        restarted.report(.settings(["app": ["a": 1, "b": 2]]))
        #expect(restarted.bus.changes(of: .defaults).map { $0.settings.map(\.keys) } == [[["a", "b"]], [["b"]]])
    }
}
