// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct JSONParserTests {
    @Test(
        "V29: valid text gives its value; integers are exact up to 64 bits, and numbers beyond",
        arguments: [
            ("null", nil), ("true", true), ("false", false), ("0", 0), ("-0", 0), ("12", 12), ("-7", -7),
            ("0.5", 0.5), ("1.0", .number(1)), ("1e3", .number(1000)), ("1E+3", .number(1000)), ("25e-1", 2.5),
            ("0.1e1", .number(1)), ("0e0", .number(0)), ("-0e-0", .number(-0.0)), ("1e-999999", .number(0)),
            ("5e-324", .number(.leastNonzeroMagnitude)), ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
            (#"{"":1}"#, ["": 1]), (#"{"":{"":[]},"":null}"#, ["": ["": []], "": nil]),
            ("-0.0", .number(-0.0)), (#""""#, ""), (#""a b""#, "a b"), ("[]", []), ("[1,[2]]", [1, [2]]), ("{}", [:]),
            (#"{"a":null,"b":[{}]}"#, ["a": nil, "b": [[:]]]), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("9007199254740993", .integer(9_007_199_254_740_993)),
            ("9223372036854775808", .number(9223372036854775808.0)),
            ("-9223372036854775809", .number(-9223372036854775809.0)), ("100000000000000000000", .number(1e20)),
            ("18446744073709551615", .number(18446744073709551615.0)), ("1e-400", .number(0)),
        ] as [(String, JSON)])
    func validTextGivesItsValue(text: String, value: JSON) throws {
        #expect(try JSON.parse(text: text) == value)
    }

    @Test(
        "V7: invalid JSON is rejected with its position",
        arguments: [
            ("", 0), (" ", 1), ("nul", 3), ("nulL", 3), ("True", 0), ("+1", 0), (".5", 0), ("1.", 2), ("1.e2", 2),
            ("1e", 2), ("1e+", 3), ("-", 1), ("01", 1), ("-01", 2), ("0x1", 1), ("1 2", 2), ("NaN", 0), ("Infinity", 0),
            ("-Infinity", 1), ("[1,]", 3), ("[1 2]", 3), ("[", 1), ("[1", 2), ("]", 0), ("[}", 1), ("{", 1),
            (#"{"a"}"#, 4), (#"{"a":}"#, 5), (#"{"a":1,}"#, 7), ("{a:1}", 1), (#"{"a":1 "b":2}"#, 7), ("'a'", 0),
            (#""a"#, 2), (#""\x""#, 2), (#""\"#, 2), (#""\u12G4""#, 5), (#""\u12"#, 5), ("\"a\nb\"", 2),
            ("\"\u{0}\"", 1),
            ("{}{}", 2), ("[]\u{0}", 2), ("\u{FEFF}1", 0), ("/* */1", 0), ("\u{A0}1", 0),
        ])
    func invalidTextIsRejectedWithItsOffset(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSON.parse(text: text) }
        #expect(error?.offset == offset)
    }

    @Test(arguments: [
        "1e309", "-1e309", "1e400", "1.8e308", "0.1e99999999999999999999", "1" + String(repeating: "0", count: 400),
    ])
    func numbersBeyondDoubleAreRejected(text: String) {
        #expect(throws: JSONError(offset: 0, reason: .numberTooLarge)) { try JSON.parse(text: text) }
    }

    @Test("V34: the depth is limited")
    func depth32IsParsedAndDepth33IsRejected() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: #"[{"a":"#, count: depth / 2) + String(repeating: "[", count: depth % 2)
                + (depth % 2 == 0 ? "1" : "]") + String(repeating: "}]", count: depth / 2)
        }
        #expect(throws: Never.self) { try JSON.parse(text: nested(32)) }
        let error = #expect(throws: JSONError.self) { try JSON.parse(text: nested(33)) }
        #expect(error?.reason == .tooDeep(maximum: 32))
    }

    @Test func hostileNestingCausesAnError() {
        let error = #expect(throws: JSONError.self) {
            try JSON.parse([UInt8](repeating: UInt8(ascii: "["), count: 60_000))
        }
        #expect(error == JSONError(offset: 32, reason: .tooDeep(maximum: 32)))
    }

    @Test func depthCountsOnlyNesting() throws {
        #expect(try JSON.parse(utf8("[[],[],[[]]]"), maximumDepth: 3).arrayValue?.count == 3)
    }

    @Test func errorsHaveAReasonAndAnOffset() {
        #expect(JSONError(offset: 3, reason: .unexpectedByte(0x7D)).description == "unexpected '}' at byte 3")
        #expect(JSONError(offset: 0, reason: .unexpectedByte(0x0A)).description == "unexpected byte 0x0a at byte 0")
        let tooDeep = JSONError(offset: 9, reason: .tooDeep(maximum: 32))
        #expect(tooDeep.description == "nested deeper than 32 levels at byte 9")
    }
}
