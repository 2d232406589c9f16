// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleViewCore
import Testing

/// What the page and its history subscribe to.
@Suite struct SubscriptionPlanTests {
    private static func everything(of names: [Aspect]) -> SubscriptionRequest {
        SubscriptionPlan.everything(
            of: names.map { AspectInfo(aspect: $0, isAvailable: true, isWatched: false, source: "") })
    }

    @Test("a page subscribes to what its bus has, and to the names of programs by their first words") func everything()
    {
        let request = Self.everything(of: [.battery, .shake, .lifecycle, "x-other.a", "org.example.a"])
        #expect(
            request.aspects
                == [.battery, .shake, "com.*", "dev.*", "io.*", "net.*", "org.*", "x-other.*"])
        #expect(request.policies == [.shake: Policy(interval: .seconds(1))])
    }

    @Test("however many names there are, a subscription has 64 aspects at most") func manyNames() {
        let names = (0..<500).map { Aspect(stringLiteral: "word\($0).a") }
        #expect(Self.everything(of: names).aspects.count == 64)
        #expect(Self.everything(of: []).aspects.count == 5)
    }

    @Test("the history receives an event a minute at most") func battery() {
        #expect(SubscriptionPlan.battery.aspects == AspectSet(.battery))
        #expect(SubscriptionPlan.battery.policies == [.battery: Policy(interval: .seconds(60))])
    }
}
