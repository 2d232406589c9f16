// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleLocal
import ReveilleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct ObservedDomainsTests {
    @Test("observers of some domains share a subscription, and are called for changes of these alone")
    func observersOfDomainsAreCalledForTheseAlone() async throws {
        let device = try await Device.inMemory()
        func post(app: [String], other: [String]) async throws {
            let domains = [("app", app), ("other", other)].map { name, keys in
                Defaults.Domain(name: name + "/settings", path: "/c/\(name)/settings.json", keys: keys)
            }
            try await device.post(.defaults(Defaults(domains: domains)))
        }
        try await post(app: ["a"], other: ["k"])
        let (calls, continuation) = AsyncStream.makeStream(of: String.self)
        var tokens: [ObservationToken] = []
        for (name, domains) in [("one", ["app/*"]), ("two", ["app/settings", "app/*"]), ("all", nil)] {
            tokens.append(
                try await device.observeConcurrently(
                    .defaults, options: SubscriptionOptions(initial: true, domains: domains)
                ) { event in
                    let names = event.defaults?.domains.map(\.name).joined(separator: " ") ?? ""
                    continuation.yield("\(name): \(event.changeCount), \(names)")
                })
        }
        #expect(try await device.shell.subscriptions().count == 2)
        func next(_ count: Int) async -> Set<String> {
            await calls.prefix(count).reduce(into: []) { $0.insert($1) }
        }
        let both = "app/settings other/settings"
        #expect(await next(3) == ["one: 0, app/settings", "two: 0, app/settings", "all: 0, \(both)"])
        try await post(app: ["a"], other: ["k", "l"])
        #expect(await next(1) == ["all: 1, \(both)"])
        try await post(app: ["a", "b"], other: ["k", "l"])
        #expect(await next(3) == ["one: 1, app/settings", "two: 1, app/settings", "all: 1, \(both)"])
        tokens = []
        try await waitUntilAllSubscriptionsEnd(to: device)
    }

    @Test func domainsThatAreInvalidOrOfAnotherAspectAreRefused() async throws {
        let device = try await Device.inMemory()
        for (aspect, domains) in [(Aspect.battery, ["app/*"]), (.defaults, []), (.defaults, ["*"])] {
            let error = await #expect(throws: ReveilleError.self) {
                try await device.observeConcurrently(aspect, options: SubscriptionOptions(domains: domains)) { _ in }
            }
            #expect(error?.code == .invalidArgument)
        }
    }
}
