// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

/// Subscriptions to some domains of the settings.
@Suite struct DomainTests {
    private let driver = BusDriver()

    private func request(_ words: String...) throws -> SubscriptionRequest {
        SubscriptionRequest(aspects: [.defaults], domains: try DomainSelection(words), wantsInitial: true)
    }

    private func resumed(_ request: SubscriptionRequest, from generation: Int) -> SubscriptionRequest {
        var request = request
        (request.wantsInitial, request.instance, request.positions) = (false, "one", [.defaults: generation])
        return request
    }

    @Test("B250: a change of other domains neither is an event nor counts nor wakes") func othersCostNothing() throws {
        driver.report(.settings(["app/a": ["k": 1], "other": ["k": 1]]))
        let (id, start) = driver.start(try request("app/*"))
        #expect(start.events.first?.settings.map(\.domain) == ["app/a"])
        for value in 2...9 as ClosedRange<UInt64> {
            driver.report(.settings(["app/a": ["k": 1], "other": ["k": value]]))
            #expect(!driver.hasReady)
        }
        #expect(driver.pending(id, .defaults) == 0)
        driver.report(.settings(["app/a": ["k": 2], "other": ["k": 10]]))
        let event = try #require(driver.events(of: id).first)
        #expect(event.changeCount == 1 && event.generation == (start.events.first?.generation ?? 0) + 1)
        #expect(event.reading == .settings(["app/a": ["k": 2]]))
        #expect(event.settings == [SettingsChange(domain: "app/a", path: "/app/a", keys: ["k"], isOpaque: false)])
    }

    @Test("a directory of keys is a part of a domain") func directoryIsAPart() throws {
        driver.report(.settings(["dconf": ["/a/b/k": 1, "/a/bc": 1]]))
        let (id, start) = driver.start(try request("dconf:/a/b/"))
        #expect(start.events.first?.settings.map(\.keys) == [["/a/b/k"]])
        driver.report(.settings(["dconf": ["/a/b/k": 1, "/a/bc": 2]]))
        #expect(driver.events(of: id).isEmpty)
        driver.report(.settings(["dconf": ["/a/bc": 2]]))
        #expect(driver.events(of: id).map(\.settings).joined().map(\.keys) == [["/a/b/k"]])
        driver.report(.settings(["dconf": ["": 1]], opaque: ["dconf"]))
        #expect(driver.events(of: id).map(\.settings).joined().map(\.isOpaque) == [true])
        driver.report(.settings(["dconf": ["/a/bc": 2]]))
        #expect(driver.events(of: id).map(\.reading) == [.settings([:])])
    }

    @Test("positions count exactly after the last subscription has ended, and after restarts", arguments: [0, 3_000])
    func positionsSurvive(others: Int) throws {
        // So many keys are saved as a digest.
        let many = Dictionary(uniqueKeysWithValues: (0..<others).map { ("a key that is rather long \($0)", UInt64(1)) })
        func settings(_ value: UInt64, _ other: UInt64) -> Reading {
            .settings(["app/a": ["k": value], "other": many.merging(["k": other]) { $1 }])
        }
        driver.report(settings(1, 1))
        let asked = try request("app/*")
        let (id, start) = driver.start(asked)
        let seen = try #require(start.events.first).generation
        driver.bus.cancel(id)
        for value in 2...400 as ClosedRange<UInt64> { driver.report(settings(value / 2, value)) }
        driver.restart()
        driver.report(settings(200, 7))
        driver.report(settings(201, 7))
        let event = try #require(driver.start(resumed(asked, from: seen)).start.events.first)
        #expect(event.changeCount == 200 && event.generation == seen + 200)
        #expect(event.settings.map(\.domain) == ["app/a"])
        let end = driver.start(resumed(asked, from: event.generation)).start
        #expect(end.resumed == true && end.events.isEmpty)
    }

    @Test("what a bus has forgotten of the domains counts as one change") func forgottenDomainsAreOneChange() throws {
        let asked = try request("app/*")
        let (id, start) = driver.start(asked)
        driver.bus.cancel(id)
        for number in 0..<Bus.selectionsPerUser {
            let other = try request("other\(number)")
            #expect(driver.hasRoom(for: other, of: 0))
            driver.report(.settings(["app/a": ["k": UInt64(number)]]))
            driver.bus.hasForgottenNames = false
            _ = driver.start(other)
            #expect(driver.hasForgotten)
        }
        #expect(!driver.hasRoom(for: asked, of: 0))
        #expect(driver.hasRoom(for: asked, of: 1))
        let seen = try #require(start.events.first).generation
        let event = driver.start(resumed(asked, from: seen)).start.events.first
        #expect(event?.changeCount == 1 && event?.reading == .settings(["app/a": ["k": 63]]))
    }

    @Test("generation 0 brings the current state as one change, even on a new bus") func zeroIsNoPosition() throws {
        driver.restart()
        let start = driver.start(resumed(try request("app/*"), from: 0)).start
        #expect(start.resumed == true && start.events.map(\.changeCount) == [1])
    }

    @Test("lists that choose the same are equal") func equalListsAreEqual() throws {
        let words = ["dconf:/a/b/", "app/*", "dconf:/a/", "app/x", "app/*", "org.example.*"]
        let selection = try DomainSelection(words)
        #expect(selection.words == ["app/*", "dconf:/a/", "org.example.*"])
        #expect(try DomainSelection(words.reversed()) == selection)
    }

    @Test(
        "what cannot be a domain is refused with the reason",
        arguments: [
            ("", "names no domain"), ("/*", "names no domain"), ("*", "ends in '/*'"), ("a*", "ends in '/*'"),
            ("a/*/b", "ends in '/*'"), ("dconf:", "begins and ends with '/'"), ("dconf:/a", "begins and ends with '/'"),
            ("dconf:a/", "begins and ends with '/'"), (String(repeating: "a", count: 1_025), "longer than 1024 bytes"),
        ])
    func othersAreRefused(word: String, reason: String) {
        do throws(DomainSelection.Refusal) {
            Issue.record("\(try DomainSelection(["app/*", word]))")
        } catch {
            #expect(error.domain == word && error.reason.contains(reason), "\(error)")
        }
    }
}

/// Settings of a large home.
@Suite struct LargeSettingsTests {
    @Test("B251: an event lists all domains, and the keys of the smallest that fit") func keysOfTheSmallestDomainsFit()
        throws
    {
        let driver = BusDriver()
        let long = String(repeating: "k", count: 100)
        func keys(_ count: Int, _ value: UInt64) -> [String: UInt64] {
            Dictionary(uniqueKeysWithValues: (0..<count).map { (long + "\($0)", value) })
        }
        let sizes = ["a": 8_000, "b": 10, "c": 4_000]
        driver.report(.settings(sizes.mapValues { keys($0, 1) }))
        let (id, start) = driver.start(SubscriptionRequest(aspects: [.defaults], wantsInitial: true))
        #expect(start.events.first?.settings.map(\.isOpaque) == [true, false, false])
        driver.report(.settings(sizes.mapValues { keys($0, 2) }))
        let event = driver.events(of: id).first
        #expect(event?.settings.map(\.isOpaque) == [true, false, false])
        #expect(event?.settings.map(\.keys.count) == [0, 10, 4_000])
    }
}
