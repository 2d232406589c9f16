// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleViewCore
import Testing
import Varlink

/// What the page and its history subscribe to.
@Suite struct SubscriptionPlanTests {
    private static func described(_ names: [String]) -> [JSON] { names.map { ["aspect": .string($0)] } }

    private static func aspects(_ parameters: JSONObject) -> [String] {
        parameters["aspects"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    @Test("a page subscribes to what its bus has, and to the names of programs by their first words") func everything()
    {
        let described = Self.described(["battery", "shake", "lifecycle", "x-other.a", "org.example.a"])
        let parameters = SubscriptionPlan.everything.parameters(describing: described)
        #expect(
            Self.aspects(parameters) == ["battery", "shake", "com.*", "dev.*", "io.*", "net.*", "org.*", "x-other.*"])
        #expect(parameters["policies"]?.arrayValue == [["aspect": "shake", "interval": 1_000]])
    }

    @Test("however many names there are, a subscription has 64 aspects at most") func manyNames() {
        let described = Self.described((0..<500).map { "word\($0).a" })
        #expect(Self.aspects(SubscriptionPlan.everything.parameters(describing: described)).count == 64)
        #expect(Self.aspects(SubscriptionPlan.everything.parameters(describing: [3, nil, [:]])).count == 5)
    }

    @Test("the history receives an event a minute at most") func battery() {
        let parameters = SubscriptionPlan.battery.parameters(describing: [])
        #expect(Self.aspects(parameters) == ["battery"])
        #expect(parameters["policies"]?.arrayValue == [["aspect": "battery", "interval": 60_000]])
    }
}
