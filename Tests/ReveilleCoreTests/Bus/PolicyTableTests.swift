// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

@Suite struct PolicyTableTests {
    private static let hold = Policy(background: .hold(limit: 2))
    private static let drop = Policy(background: .drop)
    private static let immediate = Policy(background: .immediate)

    @Test(
        "an aspect's own policy goes before a pattern's, and a longer pattern's before a shorter one's",
        arguments: [
            ("org.example.volume", hold), ("org.example.mute", drop), ("org.other.volume", immediate),
            ("org.plain.volume", immediate), ("com.example.volume", Policy()), ("battery", hold),
            ("proximity", Policy()), ("org.example.*", drop),
        ] as [(Aspect, Policy)])
    func mostSpecificPolicyApplies(aspect: Aspect, policy: Policy) {
        let table = PolicyTable(
            [
                "org.*": Self.immediate, "org.example.*": Self.drop, "org.example.volume": Self.hold,
                .battery: Self.hold,
            ], of: ["org.*", "org.example.*", "org.plain.*", "org.example.volume", .battery, .proximity])
        #expect(table[aspect] == policy)
    }
}
