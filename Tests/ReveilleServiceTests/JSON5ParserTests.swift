// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Testing
import Varlink

@testable import ReveilleService

@Suite struct JSON5ParserTests {
    private static func parse(_ text: String) throws -> JSON {
        try JSON5Parser.parse(Array(text.utf8))
    }

    @Test(
        arguments: [
            ("null", .null), (" true ", true), ("\u{FEFF}false\u{A0}", false), ("[]", []), ("{}", [:]),
            ("[1,]", [1]), ("{a:1,}", ["a": 1]), ("{'a b':1,\"c\":[2,[3]]}", ["a b": 1, "c": [2, [3]]]),
            ("{$_1:1,ä:2,null:3}", ["$_1": 1, "ä": 2, "null": 3]),
            ("// a\n[1,/* 2, **/ 3]// end", [1, 3]), ("/**/1/***/", 1), ("// \u{2028}1", 1),
        ] as [(String, JSON)])
    func valuesAreParsed(text: String, value: JSON) throws {
        #expect(try Self.parse(text) == value)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("+5", 5), ("0x1F", 31), ("-0Xa", -10), ("9223372036854775807", .integer(.max)),
            ("9223372036854775808", 9_223_372_036_854_775_808.0), (".5", 0.5), ("5.", 5.0), ("-.5e1", -5.0),
            ("1e3", 1_000.0), ("1.5E-2", 0.015), ("25e+2", 2_500.0), ("Infinity", .number(.infinity)),
            ("-Infinity", .number(-.infinity)), ("1e400", .number(.infinity)), ("0.0", 0.0),
        ] as [(String, JSON)])
    func numbersAreParsed(text: String, value: JSON) throws {
        #expect(try Self.parse(text) == value)
    }

    @Test func notANumberIsANumber() throws {
        #expect(try #require(try Self.parse("+NaN").numberValue).isNaN)
    }

    @Test(arguments: [
        ("''", ""), ("'\"'", "\""), ("\"'\"", "'"), (#"'\'\"\\\/\q'"#, "'\"\\/q"),
        (#"'\b\f\n\r\t\v\0'"#, "\u{8}\u{C}\n\r\t\u{B}\0"), (#"'\x41\u00e9\ud83d\ude00😀'"#, "Aé😀😀"),
        ("'a\\\nb\\\r\nc\\\u{2029}d'", "abcd"), ("'\u{2028}\u{1}'", "\u{2028}\u{1}"), ("'1E+'", "1E+"),
    ])
    func stringsAreParsed(text: String, string: String) throws {
        #expect(try Self.parse(text) == .string(string))
    }

    @Test(arguments: [
        ("", 1, "unexpected end"), ("\n\n}", 3, "unexpected \"}\""), ("[1 2]", 1, "unexpected \"2\""),
        ("[,]", 1, "unexpected \",\""), ("{,}", 1, "unexpected \",\""), ("{a}", 1, "unexpected \"}\""),
        ("{1:2}", 1, "unexpected \"1\""), ("[1", 1, "unexpected end"), ("1 1", 1, "unexpected \"1\""),
        ("/* *", 1, "unexpected end"), ("/", 1, "unexpected end"), ("{a:\nnil}", 2, "unexpected \"n\""),
        ("'a\nb'", 1, "unexpected \"\\n\""), ("'a", 1, "unexpected end"), ("'\\", 1, "unexpected end"),
        (#"'\1'"#, 1, "unexpected \"1\""), (#"'\01'"#, 1, "unexpected \"0\""), (#"'\x4g'"#, 1, "unexpected \"g\""),
        (#"'\ud83d'"#, 1, "half of a surrogate pair"), ("1E+", 1, "not a number"), ("1e", 1, "not a number"),
        ("1e+-1", 1, "not a number"), (".", 1, "not a number"), ("+", 1, "not a number"), ("0x", 1, "not a number"),
        ("0xg", 1, "not a number"), ("01", 1, "not a number"), ("1.2.3", 1, "not a number"), ("1a", 1, "not a number"),
        ("+ 1", 1, "not a number"), ("Inf", 1, "not a number"), ("٣", 1, "unexpected \"٣\""),
        ("1٣", 1, "not a number"), ("0xFFFFFFFFFFFFFFFF", 1, "not a number"),
    ])
    func errorHasItsLineAndReason(text: String, line: Int, reason: String) {
        let error = #expect(throws: ConfigurationError.self) { try Self.parse(text) }
        #expect(error == ConfigurationError(key: nil, reason: "not JSON5: line \(line): \(reason)"))
    }

    @Test func nestingHasALimit() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        _ = try Self.parse(nested(Limits.jsonDepth))
        for levels in [Limits.jsonDepth + 2, 1_000_000] {
            #expect(throws: ConfigurationError.self) { try Self.parse(nested(levels)) }
        }
    }

    @Test(arguments: [[0xFF], [0x7B, 0xFA, 0x7D], [0x31, 0, 0x45, 0, 0x2B, 0]] as [[UInt8]])
    func otherEncodingsAreRefused(bytes: [UInt8]) {
        #expect(throws: ConfigurationError.self) { try JSON5Parser.parse(bytes) }
    }

    @Test func longRowsOfDigitsAreNumbers() throws {
        let digits = String(repeating: "9", count: 400)
        #expect(try Self.parse(digits) == .number(.infinity))
        #expect(try Self.parse(String(digits.prefix(102))) == .number(1e102))
    }
}
