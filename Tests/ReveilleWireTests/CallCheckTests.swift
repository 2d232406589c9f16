// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing
import Varlink

@testable import ReveilleWire

/// Compares the one pass over a call, which decodes and checks it, with the validation by its interface.
@Suite struct CallCheckTests {
    /// A call of each method with all of its fields.
    private static let calls: [Call] =
        [
            call(
                "Subscribe",
                #"""
                {"aspects":["battery","defaults","org.example.a"],"name":"n","state":"background","initial":true,
                "instance":"i","resume":[{"aspect":"battery","generation":4},{"aspect":"org.example.a","generation":5}],
                "policies":[{"aspect":"battery","background":"hold","limit":3,"netChangeOnly":true,"interval":5}],
                "domains":["org.example"],"fields":["battery.supply"]}
                """#, .more),
            call("SetState", #"{"subscription":"0123456789abcdef","state":"background","wakeAfter":5}"#),
            call("GetState", #"{"aspects":["battery","org.example.*"],"fields":["battery.supply"]}"#),
            call("GetHistory", #"{"aspect":"battery","limit":3,"fields":["battery.supply"]}"#),
            call("GetLog", "{}"), call("ListSubscriptions", "{}"), call("DescribeAspects", "{}"),
            call("Refresh", "{}"),
            call(
                "Publish",
                #"{"aspect":"org.example.a","value":{"a":[1,{"b":null}]},"whileConnected":true,"again":true}"#),
            call("Import", #"{"aspect":"org.example.a","value":{"a":[1]},"instance":"i","generation":7}"#),
            call("ObserveDemand", #"{"aspects":["org.example.a"]}"#, .more),
            call("BeginTask", #"{"subscription":"0123456789abcdef","name":"n"}"#, .more),
            call("org.reveille.Device.GetInfo", "{}"),
            call("org.reveille.Device.Check", #"{"capabilities":["a","b"]}"#),
            call(
                "org.reveille.Schedule.Add",
                #"""
                {"entry":{"id":"a","aspect":"org.example.a","value":{"a":[1]},"calendar":{"hour":1,"weekdays":[1,2]},
                "zone":"UTC","until":4000000000000000,"ifMissed":"fire","grace":5,"wake":true,"launch":["a","b"]}}
                """#),
            call("org.reveille.Schedule.Cancel", #"{"id":"a"}"#), call("org.reveille.Schedule.List", "{}"),
        ]
        + SampleStates.readings.filter { $0.aspect.builtIn?.isPostable == true }.map { Call(Post($0)) }

    private static func call(_ method: String, _ parameters: String, _ mode: Call.Mode = .plain) -> Call {
        let parameters = (try? JSON.parse(Array(parameters.utf8)))?.objectValue
        return Call(named: method, parameters: parameters ?? ["a sample": "does not parse"], mode: mode)
    }

    private static func method(of call: Call) throws -> any BusMethod.Type {
        try #require(BusInterface.methods.first { $0.name == call.method })
    }

    @Test func eachMethodHasASample() {
        #expect(Set(Self.calls.map(\.method)) == Set(BusInterface.methods.map { $0.name }))
    }

    @Test("a valid call with all fields of its method is read in one pass", arguments: calls)
    func validCallsAreReadInOnePass(call: Call) throws {
        var fields = Fields(call.parameters)
        _ = try Self.method(of: call).init(&fields, history: BusMethodCalls.history)
        let areAllRead = fields.areAllRead
        #expect(areAllRead)
    }

    @Test("a changed field is refused with the error that the interface has for it", arguments: calls)
    func changedFieldIsRefusedLikeTheInterfaceDoes(call: Call) throws {
        let interface = try #require(BusInterface.all().first { $0.name == call.interface })
        let method = try Self.method(of: call)
        for variant in Self.variants(of: .object(call.parameters)) {
            guard let parameters = variant.objectValue else { continue }
            let changed = Call(method: call.method, parameters: parameters, mode: call.mode)
            let parsed = try Call(parsing: changed.encoded().dropLast())
            let refusal = self.refusal { () throws(CallError) in try interface.validate(changed) }
            for call in [changed, parsed] {
                let result = Self.result(of: call, method)
                if let refusal {
                    #expect(result == .failure(refusal), "\(parameters)")
                } else if let once = Self.once(variant).objectValue {
                    // Of fields with equal names, the last one counts.
                    let same = Self.result(
                        of: Call(method: call.method, parameters: once, mode: call.mode), method)
                    #expect(result == same, "\(parameters)")
                }
            }
        }
    }

    private static func result(of call: Call, _ method: any BusMethod.Type) -> Result<AnyHashable, CallError> {
        Result { () throws(CallError) in AnyHashable(try method.resolving(call)) }
    }

    private func refusal(_ body: () throws(CallError) -> Void) -> CallError? {
        do throws(CallError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    /// The value with one change: a value of another type, or a member that is missing, unknown or repeated.
    private static func variants(of value: JSON) -> [JSON] {
        let others: [JSON] = [nil, true, 7, -1, 0.5, "x", [], ["x"], [:], ["x": 1]]
        switch value {
        case .array(let elements):
            return others
                + elements.indices.flatMap { index in
                    variants(of: elements[index]).map { element in
                        .array(elements.enumerated().map { $0 == index ? element : $1 })
                    }
                }
        case .object(let object):
            let members = object.members
            let unknown = JSONObject.Member(name: "unknown", value: 1)
            return others + [.object(JSONObject(members: members + [unknown]))]
                + members.indices.flatMap { index -> [JSON] in
                    let (before, after) = (members[..<index], members[(index + 1)...])
                    let changed = variants(of: members[index].value).map {
                        JSONObject.Member(name: members[index].name, value: $0)
                    }
                    return [.object(JSONObject(members: Array(before + after)))]
                        + changed.flatMap { member -> [JSON] in
                            [
                                .object(JSONObject(members: before + [member] + after)),
                                .object(JSONObject(members: [member] + members)),
                                .object(JSONObject(members: members + [member])),
                            ]
                        }
                }
        case .null, .bool, .integer, .number, .string: return others
        }
    }

    /// The value without members that a later one of the same name replaces.
    private static func once(_ value: JSON) -> JSON {
        switch value {
        case .array(let elements): return .array(elements.map(once))
        case .object(let object):
            var result: JSONObject = [:]
            for member in object.members { result[member.name] = once(member.value) }
            return .object(result)
        case .null, .bool, .integer, .number, .string: return value
        }
    }
}
