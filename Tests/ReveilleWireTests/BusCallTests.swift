// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing
import Varlink

@Suite struct BusCallTests {
    private static let history = 256

    private func method(_ name: String, _ parameters: JSONObject = [:], mode: Call.Mode = .plain) throws -> BusCall {
        let call = Call(method: "org.reveille.Bus." + name, parameters: parameters, mode: mode)
        return try BusCall(resolving: call, history: Self.history)
    }

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
        #expect(try method("Subscribe", mode: .more) == .subscribe(SubscriptionRequest()))
        #expect(
            try method("Subscribe", ["aspects": .null, "state": .null, "resume": .null], mode: .more)
                == .subscribe(SubscriptionRequest()))
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
        #expect(try method("Subscribe", parameters, mode: .more) == .subscribe(request))
    }

    @Test("fields of states are asked for by name; names of later versions are ignored")
    func fieldsAreAskedForByName() throws {
        let parameters: JSONObject = ["fields": ["battery.later", "battery.supply"]]
        #expect(
            try method("Subscribe", parameters, mode: .more) == .subscribe(SubscriptionRequest(wantsSupply: true)))
        #expect(try method("GetState", parameters) == .getState(.default, wantsSupply: true))
        #expect(try method("GetState", ["fields": ["battery.later"]]) == .getState(.default))
        let history = try method("GetHistory", ["aspect": "battery", "fields": ["battery.supply"]])
        #expect(history == .getHistory(.battery, wantsSupply: true))
    }

    @Test func holdWithoutALimitKeepsTheWholeHistory() throws {
        let parameters: JSONObject = ["policies": [["aspect": "battery", "background": "hold"]]]
        let request = SubscriptionRequest(policies: [.battery: Policy(background: .hold(limit: Self.history))])
        #expect(try method("Subscribe", parameters, mode: .more) == .subscribe(request))
    }

    @Test(arguments: [0, -1, 257]) func holdLimitMustBeInItsRange(limit: Int64) {
        let parameters: JSONObject = [
            "policies": [["aspect": "battery", "background": "hold", "limit": .integer(limit)]]
        ]
        #expect(throws: CallError.invalidParameter("policies.limit")) {
            try method("Subscribe", parameters, mode: .more)
        }
    }

    @Test func limitWithoutHoldIsRefused() {
        #expect(throws: CallError.invalidParameter("policies.limit")) {
            try method("Subscribe", ["policies": [["aspect": "battery", "limit": 1]]], mode: .more)
        }
    }

    @Test func foregroundWithADeadlineIsRefused() {
        #expect(throws: CallError.invalidParameter("wakeAfter")) {
            try method("SetState", ["subscription": "x", "state": "foreground", "wakeAfter": 5])
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
        #expect(throws: CallError.invalidParameter(invalid)) { try method("GetHistory", parameters) }
    }

    @Test func postRequiresExactlyOneState() throws {
        #expect(try method("Post", ["proximity": ["state": "near"]]) == .post(.proximity(.near)))
        #expect(throws: CallError.invalidParameter("locale")) { try method("Post") }
        #expect(throws: CallError.invalidParameter("orientation")) {
            try method("Post", ["proximity": ["state": "near"], "orientation": ["pose": "unknown"]])
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
