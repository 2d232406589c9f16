// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

/// B47 to B54 without sockets: first replies, positions and restarts.
@Suite struct ResumeTests {
    private let driver = BusDriver()

    @Test("B47, B48: the initial state is delivered at once and not repeated")
    func initialStateIsDeliveredAtOnceAndNotRepeated() {
        driver.report(.level(80))
        let (id, start) = driver.start(SubscriptionRequest(wantsInitial: true))
        #expect(Set(start.events.map(\.aspect)) == Set(AspectSet.default.aspects))
        #expect(start.events.allSatisfy { $0.changeCount == 0 })
        #expect(start.resumed == nil)
        #expect(driver.read().isEmpty)
        driver.report(.level(79))
        #expect(driver.events(of: id).map(\.changeCount) == [1])
    }

    @Test("B50: without changes there are no events") func noChangesMeanNoEvents() {
        driver.report(.level(80))
        let start = driver.resume([.battery: driver.state(.battery).generation])
        #expect(start.resumed == true)
        #expect(start.events.isEmpty)
    }

    @Test("B51: resuming from positions delivers the difference") func resumingDeliversTheDifference() {
        let id = driver.subscribe()
        driver.bus.cancel(id)
        let first = driver.report(.level(80))
        for level in [79, 78, 77] { driver.report(.level(level)) }
        let start = driver.resume([.battery: 0])
        #expect(start.resumed == true)
        #expect(start.events.map(\.changeCount) == [4])
        #expect(start.events.map(\.firstChangedAt) == [first])
        #expect(start.events.map(\.reading) == [.level(77)])
    }

    @Test(
        "B51: positions of another instance or ahead of the bus get the current state",
        arguments: [(1, "two"), (1, nil), (2, "one")])
    func invalidPositionGetsTheCurrentState(position: Int, instance: String?) {
        driver.report(.level(80))
        let start = driver.resume([.battery: position], of: instance)
        #expect(start.resumed == false)
        #expect(start.events.count == 5)
        #expect(start.events.allSatisfy { $0.changeCount == 0 })
    }

    @Test("B52: resuming beside the old connection creates a second subscription")
    func resumingBesideTheOldConnectionCreatesASecondSubscription() {
        let old = driver.subscribe()
        let new = driver.start(SubscriptionRequest(instance: "one", positions: [:])).id
        driver.report(.level(80))
        #expect(driver.read().map(\.subscription) == [old, new])
        driver.bus.cancel(old)
        driver.report(.level(79))
        #expect(driver.read().map(\.subscription) == [new])
    }

    @Test("B54: a restart continues with the same generations") func restartContinuesWithTheSameGenerations() {
        driver.report(.level(80))
        driver.report(.settings(["app": ["a": 1, "b": 1]]))
        let later = BusDriver(restoring: driver.bus.savedState)
        #expect(later.bus.instance == "one")
        later.report(.level(80))
        #expect(later.state(.battery).generation == 1)
        later.report(.level(70))
        #expect(later.state(.battery).generation == 2)
        #expect(later.state(.battery).sequence == 3)
        later.report(.settings(["app": ["a": 2, "b": 1]]))
        let start = later.resume([.battery: 1, .defaults: 0])
        #expect(start.events.map(\.changeCount) == [1, 2])
        // The keys that changed before the restart are no longer known.
        #expect(start.events.last?.settings.map(\.keys) == [["a", "b"]])
    }
}

/// Settings saved only as a digest.
@Suite struct DigestTests {
    private static let large = Defaults(domains: [
        Defaults.Domain(
            name: "d", path: "/d", values: Dictionary(uniqueKeysWithValues: (0..<6_000).map { ("key \($0)", $0) }),
            isOpaque: false)
    ])

    private func saved() -> SavedState {
        let driver = BusDriver()
        driver.report(.defaults(Self.large))
        return driver.bus.savedState
    }

    private func restored() -> BusDriver {
        BusDriver(restoring: saved())
    }

    @Test("settings that are too large to save are saved as a digest") func largeSettingsAreADigest() {
        let state = saved().entries.first { $0.state.aspect == .defaults }?.state
        #expect(state == .digest(Self.large.digest, of: .defaults))
    }

    @Test("equal settings are not a change after a restart, and the next change lists only its keys")
    func equalSettingsAreNotAChange() {
        let driver = restored()
        let start = driver.start(SubscriptionRequest(aspects: [.defaults], instance: "one", positions: [.defaults: 1]))
        #expect(start.start.resumed == true && start.start.events.isEmpty)
        driver.report(.defaults(Self.large))
        #expect(driver.state(.defaults).generation == 1)
        var other = Self.large
        other.domains[0].values["key 7"] = 0
        driver.report(.defaults(other))
        let event = driver.events(of: start.id).first
        #expect(event?.changeCount == 1)
        #expect(event?.settings.flatMap(\.keys) == ["key 7"])
    }

    @Test("different settings are one change after a restart, which lists all keys", arguments: [false, true])
    func differentSettingsAreAChange(areGone: Bool) {
        let driver = restored()
        var other = Self.large
        other.domains[0].values["key 7"] = 0
        driver.report(.defaults(areGone ? Defaults(domains: []) : other))
        let start = driver.start(SubscriptionRequest(aspects: [.defaults], instance: "one", positions: [.defaults: 1]))
        #expect(start.start.events.map(\.changeCount) == [1])
        #expect(start.start.events.first?.settings.flatMap(\.keys).count == (areGone ? 0 : 6_000))
    }

    @Test("a digest without a new reading is saved again") func digestIsSavedAgain() {
        #expect(restored().bus.savedState == saved())
    }

    @Test("a posted state replaces a digest") func postedSettingsAreAChange() {
        let driver = restored()
        #expect(driver.post(.defaults(Defaults(domains: []))))
        #expect(driver.state(.defaults).generation == 2)
    }
}
