// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing
import Varlink

@Suite struct BusMethodTests {
    @Test func interfaceHasAllMethodsAndErrors() {
        let expected = [
            "BeginTask", "DescribeAspects", "GetHistory", "GetLog", "GetState", "Import", "ListSubscriptions",
            "ObserveDemand", "Post", "Publish", "Refresh", "SetState", "Subscribe",
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

    @Test("one day of an entry and several are one thing, and have the field that each version knows")
    func daysOfAnEntry() throws {
        let days: [(JSONObject, Set<Weekday>, JSONObject)] = [
            (["weekday": 7], [.sunday], ["weekday": 7]), (["weekdays": [7]], [.sunday], ["weekday": 7]),
            (["weekdays": [5, 1, 5]], [.monday, .friday], ["weekdays": [1, 5]]),
        ]
        for (given, weekdays, written) in days {
            let entry = try ScheduleEntry(structure: [
                "id": "a", "aspect": "org.example.a", "calendar": .object(given),
            ])
            #expect(entry.calendar == CalendarRule(weekdays: weekdays))
            #expect(entry.structure.objectValue?["calendar"] == .object(written))
        }
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

    @Test(
        "an invalid parameter has its reason, and what the bus does not know is unknown",
        arguments: [
            ("GetHistory", #"{"aspect":"battery","limit":0}"#, "limit", "must be 1 or more"),
            ("GetHistory", #"{"aspect":"lifecycle"}"#, "aspect", "cannot be lifecycle or a pattern"),
            ("GetHistory", #"{"aspect":"weather"}"#, "aspect", "unknown"),
            ("GetHistory", "{}", "aspect", "is required"),
            ("GetHistory", #"{"aspect":"battery","depth":1}"#, "depth", "unknown"),
            ("GetState", #"{"aspects":["battery",1]}"#, "aspects", "must be a string"),
            ("GetState", #"{"aspects":[]}"#, "aspects", "must have at least one"),
            ("Subscribe", #"{"state":"dozing"}"#, "state", "unknown"),
            (
                "Subscribe", #"{"policies":[{"aspect":"battery","background":"end"}]}"#, "policies.background",
                "is refused: only the policy of lifecycle can end the program"
            ),
            (
                "Subscribe", #"{"policies":[{"aspect":"battery","background":"hold","limit":300}]}"#, "policies.limit",
                "must be at most 256, as bus.history"
            ),
            ("Post", #"{"light":{"lux":-1}}"#, "light.lux", "must be 0 or more"),
            ("Post", #"{"proximity":{"state":"hovering"}}"#, "proximity.state", "unknown"),
            ("Post", #"{"battery":{"level":7}}"#, "battery.state", "is required"),
            ("Publish", #"{"aspect":"org.example.a","value":5}"#, "value", "must be an object"),
            (
                "org.reveille.Schedule.Add", #"{"entry":{"id":"a","aspect":"org.example.a","every":999}}"#,
                "entry.every",
                "must be from one second to a century"
            ),
            (
                "org.reveille.Schedule.Add", #"{"entry":{"id":"a","aspect":"org.example.a"}}"#, "entry.at",
                "must be a time from 1970 to 9999, and is required without an interval or a calendar"
            ),
            (
                "org.reveille.Schedule.Add",
                #"{"entry":{"id":"a","aspect":"org.example.a","calendar":{"hour":24}}}"#, "entry.calendar.hour",
                "must be 0 to 23, not 24"
            ),
        ])
    func invalidParameterHasAReason(method: String, parameters: String, parameter: String, reason: String) throws {
        let mode: Call.Mode = method == "Subscribe" ? .more : .plain
        let object = try #require(try JSON.parse(Array(parameters.utf8)).objectValue)
        let call = Call(named: method, parameters: object, mode: mode)
        let type = try #require(BusInterface.methods.first { $0.name == call.method })
        let error = #expect(throws: CallError.self) { try type.resolve(call) }
        #expect(error?.details == ["parameter": .string(parameter), "reason": .string(reason)])
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

extension BusMethod {
    /// Decodes a call of a method that is not known when the test is compiled.
    fileprivate static func resolve(_ call: Call) throws { _ = try resolving(call) }
}
