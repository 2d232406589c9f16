// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Varlink

@Suite struct JSONCodingTests {
    /// A value, its JSON form, and other texts that decode to the same value.
    struct Sample: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let check: @Sendable () throws -> Void

        init<Value: Codable & Equatable & Sendable>(_ value: Value, _ text: String, _ others: String...) {
            testDescription = "\(Value.self) \(text)"
            check = { () throws -> Void in
                #expect(try JSON.text(encoding: value) == text)
                for text in [text] + others {
                    #expect(try JSON.parse(text: text).decode(Value.self) == value)
                }
                // Both coders read each other's texts.
                #expect(try JSONDecoder().decode(Value.self, from: Data(text.utf8)) == value)
                #expect(try JSON.parse([UInt8](JSONEncoder().encode(value))).decode(Value.self) == value)
            }
        }
    }

    private static let scalars: [Sample] = [
        Sample(true, "true"), Sample("é😀\n", #""é😀\n""#, #""\u00e9\ud83d\ude00\n""#), Sample(0.5, "0.5", "5e-1"),
        Sample(3.0, "3.0", "3", "3e0", "30e-1"), Sample(Float(0.1), "0.1", "0.10000000149011612"),
        Sample(Float.greatestFiniteMagnitude, "3.4028235e+38"),
        Sample(Float.leastNonzeroMagnitude, "1e-45"),
        Sample(-Double.greatestFiniteMagnitude, "-1.7976931348623157e+308"),
        Sample(7, "7", "7.0", "70e-1", "0.7e1"), Sample(1000, "1000", "1e3"), Sample(0, "0", "-0", "-0.0", "0e9"),
        Sample(Int64.max, "9223372036854775807"), Sample(Int64.min, "-9223372036854775808", "-9223372036854775808.0"),
        Sample(UInt64(Int64.max), "9223372036854775807"), Sample(Mode.loud, #""loud""#),
        Sample(Priority.low, "-1", "-1.0"),
        Sample(Int?.none, "null"), Sample(Int?.some(1), "1"), Sample([1, nil, 3], "[1,null,3]"),
        Sample(["a": 1], #"{"a":1}"#, #"{"a":0,"a":1}"#), Sample([3: "c"], #"{"3":"c"}"#),
        Sample([Mode.loud: 1], #"["loud",1]"#), Sample(Set([1]), "[1]"), Sample(1...3, "[1,3]"),
    ]

    private static let structures: [Sample] = [
        Sample(Nothing(), "{}", #"{"a":1}"#),
        Sample(
            Volume(level: 1), #"{"level":1.0,"isMuted":false}"#, #"{"isMuted":false,"level":1,"device":null}"#,
            #"{"level":"a","isMuted":false,"level":1,"other":[]}"#),
        Sample(
            Volume(level: 0.25, isMuted: true, device: "a b"), #"{"level":0.25,"isMuted":true,"device":"a b"}"#),
        Sample(Shape.none, #"{"none":{}}"#), Sample(Shape.circle(radius: 2), #"{"circle":{"radius":2.0}}"#),
        Sample(Shape.line(1, -1), #"{"line":{"_0":1,"_1":-1}}"#),
        Sample(
            Shape.pair(.none, with: .circle(radius: 1)),
            #"{"pair":{"_0":{"none":{}},"with":{"circle":{"radius":1.0}}}}"#),
        Sample(
            Shape.pair(.none, with: nil), #"{"pair":{"_0":{"none":{}}}}"#, #"{"pair":{"with":null,"_0":{"none":{}}}}"#),
        Sample(
            Mixer(), #"{"volumes":[],"modes":{},"priorities":{},"names":[],"rest":null}"#),
        Sample(
            Mixer(
                volumes: [Volume(level: 0)], modes: ["a b": .quiet], priorities: [-3: .high], shapes: [[], [.none]],
                names: ["x"], rest: [1, 2.5, "a", [true, nil], ["b": ["": []]]], more: ["a": 1]),
            #"{"volumes":[{"level":0.0,"isMuted":false}],"modes":{"a b":"quiet"},"priorities":{"-3":1},"#
                + #""shapes":[[],[{"none":{}}]],"names":["x"],"#
                + #""rest":[1,2.5,"a",[true,null],{"b":{"":[]}}],"more":{"a":1}}"#),
    ]

    @Test(arguments: scalars + structures)
    func valuesHaveTheirJSONFormAndSurviveARoundTrip(sample: Sample) throws {
        try sample.check()
    }

    @Test func allWidthsOfIntegersReachTheirLimits() throws {
        let most = Integers(
            a: .max, b: .max, c: .max, d: .max, e: .max, f: .max, g: .max, h: .max, i: UInt64(Int64.max),
            j: UInt(Int64.max))
        let least = Integers(a: .min, b: .min, c: .min, d: .min, e: .min)
        for integers in [most, least] {
            #expect(try JSON(encoding: integers).decode() == integers)
        }
        #expect(try JSON.text(encoding: least).hasPrefix(#"{"a":-128,"b":-32768,"c":-2147483648,"#))
    }

    @Test func untypedPartsKeepTheirNotationAndOrder() throws {
        let json = try JSON.parse(text: #"{"b":[1.0,1,1e3],"a":null,"b":18446744073709551615}"#)
        #expect(try json.decode(JSON.self) == json)
        #expect(try json.decode(JSONObject.self) == json.objectValue)
        #expect(
            try JSON(encoding: JSON.array([1.0, 1, json])).description
                == #"[1.0,1,{"b":1.8446744073709552e+19,"a":null}]"#)
    }

    @Test func decodedFloatsAreRounded() throws {
        #expect(try JSON.integer(.max).decode(Double.self) == 9_223_372_036_854_775_808)
        #expect(try JSON.number(1e-60).decode(Float.self) == 0)
    }

    @Test func randomFloatsAndDoublesAreExact() throws {
        var random = SplitMix64(state: 1)
        for _ in 0..<5000 {
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            let double = Double(bitPattern: random.next())
            if float.isFinite { try #require(JSON.parse(JSON(encoding: float).bytes).decode(Float.self) == float) }
            if double.isFinite { try #require(JSON.parse(JSON(encoding: double).bytes).decode(Double.self) == double) }
        }
    }
}
