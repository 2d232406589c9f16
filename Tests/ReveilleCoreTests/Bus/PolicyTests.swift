// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

/// B39 to B43: the policies of an aspect while its subscriber is held.
@Suite struct PolicyTests {
    private let driver = BusDriver()

    private func request(_ background: Policy.Background) -> SubscriptionRequest {
        SubscriptionRequest(policies: [.battery: Policy(background: background)])
    }

    @Test("B39: drop discards changes in the background") func dropDiscardsChangesInTheBackground() {
        let id = driver.subscribe(request(.drop))
        driver.background(id)
        driver.report(.level(80))
        #expect(driver.pending(id, .battery) == 0)
        driver.foreground(id)
        #expect(driver.read().isEmpty)
        driver.report(.level(79))
        #expect(driver.events(of: id).map(\.changeCount) == [1])
    }

    @Test("B40, B43, B99: immediate does not wait and does not release holds") func immediateDoesNotWaitOrReleaseHolds()
    {
        let id = driver.subscribe(request(.immediate))
        driver.background(id)
        driver.report(.language("de_DE"))
        driver.report(.level(80))
        #expect(driver.events(of: id).map(\.aspect) == [.battery])
        #expect(driver.status(id)?.holds == .app)
        #expect(driver.pending(id, .locale) == 1)
        driver.foreground(id)
        #expect(driver.events(of: id).map(\.aspect) == [.locale])
    }

    @Test("B41, B181: hold keeps the latest changes", arguments: [(5, 3), (40, 100), (150, 100)])
    func holdKeepsTheNewestChanges(changes: Int, limit: Int) {
        let id = driver.subscribe(request(.hold(limit: limit)))
        driver.background(id)
        let times = (1...changes).map { driver.report(.level($0)) }
        driver.foreground(id)
        let events = driver.events(of: id)
        let first = max(0, changes - limit)
        #expect(events.map(\.reading) == (first + 1...changes).map { .level($0) })
        #expect(events.map(\.droppedCount) == [first] + Array(repeating: 0, count: changes - first - 1))
        #expect(events.allSatisfy { $0.changeCount == 1 })
        #expect(events.map(\.changedAt) == Array(times[first...]))
    }

    @Test func holdListsTheKeysOfEachChange() {
        let id = driver.subscribe(SubscriptionRequest(policies: [.defaults: Policy(background: .hold(limit: 8))]))
        let events = driver.wake(id, after: .settings(["app": ["a": 1]]), .settings(["app": ["a": 1, "b": 1]]))
        #expect(events.map { $0.settings.map(\.keys) } == [[["a"]], [["b"]]])
    }

    @Test func heldSettingsKeepTheirKeysButNotTheirState() {
        driver.report(.settings(["app": ["a": 1]]))
        let id = driver.subscribe(SubscriptionRequest(policies: [.defaults: Policy(background: .hold(limit: 8))]))
        let events = driver.wake(id, after: .settings(["app": ["a": 2]]), .settings(["app": ["a": 1]]))
        #expect(events.map(\.reading) == [.unknown(.defaults), .settings(["app": ["a": 1]])])
        #expect(events.map { $0.settings.map(\.keys) } == [[["a"]], [["a"]]])
        #expect(events.map(\.isNetChange) == [true, true])
    }

    @Test func heldChangeOfManySettingsListsAllKeysChangedSince() {
        driver.report(.settings(["app": [:]]))
        let id = driver.subscribe(SubscriptionRequest(policies: [.defaults: Policy(background: .hold(limit: 8))]))
        driver.background(id)
        let many = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("a long name \($0)", UInt64(1)) })
        driver.report(.settings(["app": many]))
        driver.report(.settings(["app": many.merging(["new": 1]) { $1 }]))
        driver.foreground(id)
        let keys = driver.events(of: id).map { $0.settings.map(\.keys) }
        #expect(keys == [[(many.keys + ["new"]).sorted()], [["new"]]])
    }
}
