// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing
import Varlink

@Suite struct BusMethodTests {
    @Test func interfaceHasAllMethodsAndErrors() {
        let expected = [
            "BeginTask", "DescribeAspects", "GetHistory", "GetState", "ListSubscriptions", "ObserveDemand", "Post",
            "Publish", "Refresh",
            "SetState", "Subscribe",
        ]
        #expect(BusInterface.make().methods.keys.sorted() == expected)
        #expect(
            BusInterface.make().errors.keys.sorted()
                == ["CannotSuspend", "InvalidDomain", "NoSuchSubscription", "QuotaExceeded"])
    }

    @Test func subscribeWithoutParametersIsForAllAspects() throws {
        #expect(try Subscribe.called() == Subscribe(SubscriptionRequest()))
        #expect(
            try Subscribe.called(with: ["aspects": .null, "state": .null, "resume": .null])
                == Subscribe(SubscriptionRequest()))
    }

    @Test func subscribeParsesAllParameters() throws {
        let parameters: JSONObject = [
            "aspects": ["battery", "battery", "locale"], "name": "bar", "state": "background", "initial": true,
            "instance": "i", "resume": [["aspect": "battery", "generation": 4]],
            "policies": [
                ["aspect": "battery", "background": "hold", "limit": 3],
                ["aspect": "locale", "netChangeOnly": true],
            ],
        ]
        let request = SubscriptionRequest(
            aspects: AspectSet([.battery, .locale]), name: "bar", startsInBackground: true, wantsInitial: true,
            instance: "i", positions: [.battery: 4],
            policies: [.battery: Policy(background: .hold(limit: 3)), .locale: Policy(netChangeOnly: true)])
        #expect(try Subscribe.called(with: parameters) == Subscribe(request))
    }

    @Test("fields of states are asked for by name; names of later versions are ignored")
    func fieldsAreAskedForByName() throws {
        let parameters: JSONObject = ["fields": ["battery.later", "battery.supply"]]
        #expect(
            try Subscribe.called(with: parameters) == Subscribe(SubscriptionRequest(wantsSupply: true)))
        #expect(try GetState.called(with: parameters) == GetState(.default, wantsSupply: true))
        #expect(try GetState.called(with: ["fields": ["battery.later"]]) == GetState(.default))
        let history = try GetHistory.called(with: ["aspect": "battery", "fields": ["battery.supply"]])
        #expect(history == GetHistory(.battery, wantsSupply: true))
    }

    @Test func holdWithoutALimitKeepsTheWholeHistory() throws {
        let parameters: JSONObject = ["policies": [["aspect": "battery", "background": "hold"]]]
        let request = SubscriptionRequest(policies: [.battery: Policy(background: .hold(limit: BusMethodCalls.history))]
        )
        #expect(try Subscribe.called(with: parameters) == Subscribe(request))
    }

    @Test(arguments: [0, -1, 257]) func holdLimitMustBeInItsRange(limit: Int64) {
        let parameters: JSONObject = [
            "policies": [["aspect": "battery", "background": "hold", "limit": .integer(limit)]]
        ]
        #expect(throws: CallError.invalidParameter("policies.limit")) {
            try Subscribe.called(with: parameters)
        }
    }

    @Test func limitWithoutHoldIsRefused() {
        #expect(throws: CallError.invalidParameter("policies.limit")) {
            try Subscribe.called(with: ["policies": [["aspect": "battery", "limit": 1]]])
        }
    }

    @Test func foregroundWithADeadlineIsRefused() {
        #expect(throws: CallError.invalidParameter("wakeAfter")) {
            try SetState.called(with: ["subscription": "x", "state": "foreground", "wakeAfter": 5])
        }
    }

    @Test(
        arguments: [
            ([:], "aspect"), (["aspect": .null], "aspect"), (["aspect": ["battery"]], "aspect"),
            (["aspect": ""], "aspect"), (["aspect": "weather"], "aspect"), (["aspect": "*"], "aspect"),
            (["aspect": "org.example.*"], "aspect"), (["aspect": "org..a"], "aspect"),
            (["aspect": "battery", "limit": 0], "limit"), (["aspect": "battery", "limit": -1], "limit"),
            (["aspect": "battery", "limit": .integer(.min)], "limit"),
            (["aspect": "battery", "limit": 1.5], "limit"), (["aspect": "battery", "limit": "1"], "limit"),
        ] as [(JSONObject, String)])
    func getHistoryNamesTheInvalidParameter(parameters: JSONObject, invalid: String) {
        #expect(throws: CallError.invalidParameter(invalid)) { try GetHistory.called(with: parameters) }
    }

    @Test func postRequiresExactlyOneState() throws {
        #expect(try Post.called(with: ["proximity": ["state": "near"]]) == Post(.proximity(.near)))
        #expect(throws: CallError.invalidParameter("locale")) { try Post.called() }
        #expect(throws: CallError.invalidParameter("orientation")) {
            try Post.called(with: ["proximity": ["state": "near"], "orientation": ["pose": "unknown"]])
        }
    }

    @Test("a duration in whole milliseconds is rounded up, and bounded by 64 bits")
    func wholeMilliseconds() {
        #expect(Duration.nanoseconds(1).wholeMilliseconds == 1)
        #expect(Duration.milliseconds(1_500).wholeMilliseconds == 1_500)
        #expect(Duration.seconds(Int64.max).wholeMilliseconds == .max)
        #expect(Duration.seconds(Int64.min).wholeMilliseconds == .min)
    }
}
