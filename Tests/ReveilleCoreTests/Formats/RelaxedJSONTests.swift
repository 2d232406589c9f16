// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct RelaxedJSONTests {
    private static func parse(_ text: String) throws(FormatError) -> SettingsValue {
        try RelaxedJSON.parse(Array(text.utf8))
    }

    @Test(arguments: [
        ("null", "null"), (" true ", "true"), ("\u{FEFF}false\u{A0}", "false"), ("[]", "[]"), ("{}", "{}"),
        ("[1,]", "[1]"), ("{a:1,}", #"{"a":1}"#), ("{'a b':1,\"c\":[2,[3]]}", #"{"a b":1,"c":[2,[3]]}"#),
        ("{$_1:1,ä:2,null:3}", #"{"$_1":1,"null":3,"ä":2}"#), ("{\"//,]\":1}", #"{"//,]":1}"#),
        ("// a\n[1,/* 2, **/ 3]// end", "[1,3]"), ("/**/1/***/", "1"), ("// \u{2028}1", "1"), ("1//", "1"),
        ("/**/[/*]*/1,//2\r2,3]", "[1,2,3]"), ("{//}\n}", "{}"), ("[1,[2,],]", "[1,[2]]"), ("{a:1,a:2}", #"{"a":2}"#),
    ])
    func valuesAreRead(text: String, plain: String) throws {
        #expect(try "\(Self.parse(text))" == plain)
    }

    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("+5", "5"), ("0x1F", "31"), ("-0Xa", "-10"),
        ("-9223372036854775808", "-9223372036854775808"), ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "1.8446744073709552e+19"), (".5", "0.5"), ("5.", "5.0"), ("-.5e1", "-5.0"),
        ("1e3", "1000.0"), ("1.5E-2", "0.015"), ("25e+2", "2500.0"), ("Infinity", "inf"), ("-Infinity", "-inf"),
        ("1e400", #""1e400""#), ("0.0", "0.0"), ("+NaN", "nan"),
    ])
    func numbersAreRead(text: String, plain: String) throws {
        #expect(try "\(Self.parse(text))" == plain)
    }

    @Test(arguments: [
        ("''", ""), ("'\"'", "\""), ("\"'\"", "'"), (#"'\'\"\\\/\q'"#, "'\"\\/q"),
        (#"'\b\f\n\r\t\v\0'"#, "\u{8}\u{C}\n\r\t\u{B}\0"), (#"'\x41\u00e9\ud83d\ude00😀'"#, "Aé😀😀"),
        ("'a\\\nb\\\r\nc\\\u{2029}d'", "abcd"), ("'\u{2028}\u{1}'", "\u{2028}\u{1}"), ("'1E+'", "1E+"),
    ])
    func stringsAreRead(text: String, string: String) throws {
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
    func errorsNameTheLineAndTheCharacter(text: String, line: Int, reason: String) {
        let error = #expect(throws: FormatError.self) { try Self.parse(text) }
        #expect(error == FormatError(reason, line: line))
    }

    @Test func limitsAreErrors() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        _ = try Self.parse(nested(SettingsValue.depthLimit))
        for levels in [SettingsValue.depthLimit + 1, 1_000_000] {
            #expect(throws: FormatError("more than 128 levels", line: 1)) { try Self.parse(nested(levels)) }
        }
        let marks = String(repeating: "\u{301}", count: CombiningMarks.limit + 1)
        for name in ["a\(marks)", "'a\(marks)'"] {
            #expect(throws: FormatError.self) { try Self.parse("{\(name):1}") }
        }
        #expect(throws: Never.self) { try Self.parse("'a\(marks)'") }
    }

    @Test(arguments: [[0xFF], [0x7B, 0xFA, 0x7D], [0x31, 0, 0x45, 0, 0x2B, 0]] as [[UInt8]])
    func otherEncodingsAreRefused(bytes: [UInt8]) {
        #expect(throws: FormatError.self) { try RelaxedJSON.parse(bytes) }
    }

    @Test func longNumbersAreRoundedOrKeptAsDigits() throws {
        let digits = String(repeating: "9", count: 400)
        #expect(try Self.parse(digits) == .string(digits))
        #expect(try Self.parse(String(digits.prefix(102))) == .real(1e102))
    }
}
