// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct JSONCanonicalTests {
    private func canonical(_ text: String) throws -> String {
        try JSON.parse(text: text).canonical.description
    }

    @Test(arguments: [
        (#"{"b":1,"a":2}"#, #"{"a":2,"b":1}"#), (#"{"a":1,"a":2}"#, #"{"a":2}"#),
        (#"{"b":1,"a":2,"b":3,"a":4,"b":5}"#, #"{"a":4,"b":5}"#),
        (#"{"a":{"c":1,"b":[{"e":1,"d":2}]}}"#, #"{"a":{"b":[{"d":2,"e":1}],"c":1}}"#),
        ("1.0", "1"), ("1e0", "1"), ("-0.0", "0"), ("-0", "0"), ("1e3", "1000"), ("1.50", "1.5"),
        ("9007199254740992.0", "9007199254740992"), ("-9223372036854775808.0", "-9223372036854775808"),
        ("9223372036854775808", "9.223372036854776e+18"), ("100000000000000000000", "1e+20"),
        (
            #"{"😀":7,"\uffff":6,"é":5,"ab":4,"a":3,"Z":2,"":1}"#,
            "{\"\":1,\"Z\":2,\"a\":3,\"ab\":4,\"é\":5,\"\u{FFFF}\":6,\"😀\":7}"
        ),
        (#""\u0041""#, #""A""#), ("9007199254740993", "9007199254740993"), ("[3,1,2]", "[3,1,2]"),
        (#"[{"a":null}]"#, #"[{"a":null}]"#),
    ])
    func valuesHaveOneCanonicalForm(text: String, expected: String) throws {
        #expect(try canonical(text) == expected)
        #expect(try canonical(expected) == expected)
    }

    @Test(arguments: [
        ("9007199254740993", "9007199254740992"), ("9007199254740993", "9007199254740992.0"), ("1", "true"),
        ("1", #""1""#), ("0", "null"), ("0.1", "0.10000000000000002"), ("{}", #"{"a":null}"#), ("{}", "[]"),
        ("[1,2]", "[2,1]"), ("[[1],2]", "[[1,2]]"), (#"{"a":1}"#, #"{"A":1}"#),
        ("\"\u{E9}\"", "\"e\u{301}\""), ("{\"\u{E9}\":1}", "{\"e\u{301}\":1}"),
        ("9223372036854775807", "9223372036854775808"),
    ])
    func differentValuesHaveDifferentForms(one: String, other: String) throws {
        #expect(try JSON.parse(text: one).canonical.bytes != JSON.parse(text: other).canonical.bytes)
    }

    @Test(
        "numbers that have the nearest Double in common are equal",
        arguments: [
            ("12345678901234567890", "12345678901234567891"), ("9223372036854775808", "9223372036854775809"),
            ("0.1", "0.1000000000000000055"), ("-18446744073709551616", "-18446744073709551617"), ("1e-400", "0"),
        ])
    func numbersWithTheSameDoubleAreEqual(one: String, other: String) throws {
        #expect(try canonical(one) == canonical(other))
    }

    @Test func permutationsAndNotationsHaveOneForm() throws {
        var random = SplitMix64(state: 14)
        for _ in 0..<3000 {
            let value = JSON.random(depth: 4, using: &random)
            let form = value.canonical
            try #require(form.canonical.bytes == form.bytes)
            try #require(try JSON.parse(form.bytes).canonical.bytes == form.bytes)
            try #require(try JSON(encoding: value).canonical.bytes == form.bytes)
            try #require(value.disguised(using: &random).canonical.bytes == form.bytes, "\(value)")
        }
    }

    @Test func formsAreEqualExactlyIfValuesAre() throws {
        var random = SplitMix64(state: 15)
        var equal = 0
        for _ in 0..<20_000 {
            let pair = (JSON.small(depth: 2, using: &random), JSON.small(depth: 2, using: &random))
            let isEqual = pair.0.equals(pair.1)
            equal += isEqual ? 1 : 0
            try #require((pair.0.canonical.bytes == pair.1.canonical.bytes) == isEqual, "\(pair)")
        }
        #expect(equal > 200)
    }

    @Test func tenThousandMembersInTheWorstOrderAreSorted() {
        let names = (0..<10_000).map { String(repeating: "x", count: 40) + "\(9_999 - $0 / 2)" }
        let form = JSONObject(members: names.map { JSONObject.Member(name: $0, value: 1.0) }).canonical
        #expect(form.members.map(\.name) == Set(names).sorted())
        #expect(form.members.allSatisfy { $0.value == 1 })
    }
}

extension JSON {
    /// Returns an equal value with its members in another order, and with other notations of its numbers.
    fileprivate func disguised(using random: inout SplitMix64) -> JSON {
        switch self {
        case .integer(let value): return Int64(exactly: Double(value)) == value ? .number(Double(value)) : self
        case .array(let elements): return .array(elements.map { $0.disguised(using: &random) })
        case .object(let object):
            var members = object.canonical.members.shuffled(using: &random)
            for index in members.indices {
                members[index].value = members[index].value.disguised(using: &random)
            }
            // Earlier members with equal names do not count.
            let earlier = members.filter { _ in Bool.random(using: &random) }
            return .object(
                JSONObject(members: earlier.map { JSONObject.Member(name: $0.name, value: "earlier") } + members))
        default: return self
        }
    }

    /// Returns a random value of a few kinds, so that many are equal.
    fileprivate static func small(depth: Int, using random: inout SplitMix64) -> JSON {
        let scalars: [JSON] = [0, -0.0, 1, 1.0, 0.5, 9_007_199_254_740_993, .number(0x1p53), "\u{E9}", "e\u{301}", nil]
        let count = Int.random(in: 0...2, using: &random)
        switch Int.random(in: 0..<(depth > 0 ? 4 : 1), using: &random) {
        case 0: return scalars.randomElement(using: &random) ?? nil
        case 1: return .array((0..<count).map { _ in small(depth: depth - 1, using: &random) })
        default:
            return .object(
                JSONObject(
                    members: (0..<count + 1).map { _ in
                        let name = ["a", "b", "\u{E9}", "e\u{301}"].randomElement(using: &random) ?? ""
                        return JSONObject.Member(name: name, value: small(depth: depth - 1, using: &random))
                    }))
        }
    }

    /// Compares values one by one, as a reference.
    fileprivate func equals(_ other: JSON) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.integer(let one), .integer(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.integer(let one), .number(let other)), (.number(let other), .integer(let one)):
            Int64(exactly: other) == one
        case (.string(let one), .string(let other)): one.unicodeScalars.elementsEqual(other.unicodeScalars)
        case (.array(let one), .array(let other)):
            one.count == other.count && zip(one, other).allSatisfy { $0.equals($1) }
        case (.object(let one), .object(let other)): one.equals(other)
        default: false
        }
    }
}

extension JSONObject {
    fileprivate func equals(_ other: JSONObject) -> Bool {
        func lastValues(_ object: JSONObject) -> [[UInt8]: JSON] {
            Dictionary(object.members.map { (Array($0.name.utf8), $0.value) }, uniquingKeysWith: { $1 })
        }
        let values = lastValues(self)
        let others = lastValues(other)
        return values.count == others.count && values.allSatisfy { others[$0.key]?.equals($0.value) == true }
    }
}
