// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

/// The keys listed in settings events.
@Suite struct SettingsHistoryTests {
    private let driver = BusDriver()

    @Test func removedKeysAndDomainsAreListed() {
        driver.report(.settings(["app": ["a": 1, "b": 1], "gone": ["x": 1]]))
        let id = driver.subscribe()
        driver.report(.settings(["app": ["a": 1]]))
        let changes = driver.events(of: id).first?.settings
        #expect(changes?.map(\.domain) == ["app", "gone"])
        #expect(changes?.map(\.keys) == [["b"], ["x"]])
    }

    @Test func pathsThatDifferInTheirUnicodeNormalizationAreTwoDomains() {
        let paths = ["/\u{e9}", "/e\u{301}"]
        func settings(_ value: UInt64, _ order: [String]) -> Reading {
            .defaults(
                Defaults(
                    domains: order.map {
                        Defaults.Domain(
                            name: "app", path: $0, values: ["a": $0.utf8.count == 3 ? value : 1], isOpaque: false)
                    }))
        }
        driver.report(settings(1, paths))
        let id = driver.subscribe()
        // The order in which they were found does not matter.
        driver.report(settings(1, paths.reversed()))
        #expect(driver.events(of: id).isEmpty)
        driver.report(settings(2, paths))
        #expect(driver.events(of: id).first?.settings.map { Array($0.path.utf8) } == [Array(paths[0].utf8)])
    }

    @Test func transientKeysAreListed() {
        driver.report(.settings(["app": ["a": 1]]))
        let id = driver.subscribe()
        let event = driver.wake(id, after: .settings(["app": ["a": 1, "b": 1]]), .settings(["app": ["a": 1]])).first
        #expect(event?.settings.map(\.keys) == [["b"]])
        #expect(event?.isNetChange == false)
    }

    @Test func opaqueDomainHasNoKeys() {
        driver.report(.settings(["dconf": ["": 1]], opaque: ["dconf"]))
        let id = driver.subscribe()
        driver.report(.settings(["dconf": ["": 2]], opaque: ["dconf"]))
        #expect(driver.events(of: id).first?.settings.map(\.keys) == [[]])
        #expect(driver.state(.defaults).settings.map(\.isOpaque) == [true])
    }

    @Test func droppedRemovalsBecomeAllKeys() {
        let many = Dictionary(uniqueKeysWithValues: (0..<1_200).map { ("k\($0)", UInt64(1)) })
        driver.report(.settings(["app": many.merging(["kept": 1]) { $1 }]))
        let early = driver.subscribe()
        driver.background(early)
        driver.report(.settings(["app": ["kept": 1]]))
        let late = driver.subscribe()
        driver.background(late)
        driver.report(.settings(["app": ["kept": 1, "new": 1]]))
        driver.foreground(early)
        let keys = Set(driver.events(of: early).first?.settings.first?.keys ?? [])
        #expect(keys.isSuperset(of: ["kept", "new"]))
        #expect(keys.count == 1_002)
        driver.foreground(late)
        #expect(driver.events(of: late).first?.settings.map(\.keys) == [["new"]])
    }

    @Test func droppedDomainsBecomeAllKeysOfAllDomains() {
        driver.report(.settings(["app": ["kept": 1]]))
        let early = driver.subscribe()
        driver.background(early)
        for index in 0..<1_500 {
            driver.report(.settings(["app": ["kept": 1], "d\(index)": [:]]))
            driver.report(.settings(["app": ["kept": 1]]))
        }
        let late = driver.subscribe()
        driver.background(late)
        driver.report(.settings(["app": ["kept": 1, "new": 1]]))
        driver.foreground(early)
        let changes = driver.events(of: early).first?.settings ?? []
        #expect(changes.count == 1_001)
        #expect(changes.first { $0.domain == "app" }?.keys == ["kept", "new"])
        #expect(changes.contains { $0.domain == "d1499" })
        driver.foreground(late)
        #expect(driver.events(of: late).first?.settings.map(\.keys) == [["new"]])
    }

    @Test func restoredDomainIsNotDropped() {
        driver.report(.settings(["app": [:]]))
        driver.report(.settings([:]))
        driver.report(.settings(["app": [:]]))
        let id = driver.subscribe()
        driver.background(id)
        for index in 0..<1_001 {
            driver.report(.settings(["app": [:], "d\(index)": ["k": 1]]))
            driver.report(.settings(["app": [:]]))
        }
        driver.report(.settings(["app": ["a": 1]]))
        driver.foreground(id)
        let app = driver.events(of: id).first?.settings.first { $0.domain == "app" }
        #expect(app?.keys == ["a"])
    }

    // MARK: - The latest changes

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
        let changes = driver.bus.changes(of: .defaults)
        #expect(changes.map(\.generation) == Array(1...101), "a domain that is longer than an event lists no keys")
        #expect(changes.allSatisfy { $0.settings.map(\.keys) == [[]] })
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
