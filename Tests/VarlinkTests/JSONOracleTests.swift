// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

/// Compares the parser with a naive one.
@Suite struct JSONOracleTests {
    private static let documents = 1_500

    /// Requires that both parsers return the same value, or that both reject the text.
    ///
    /// Values are compared by the bytes that are written, since equal strings can differ in their scalars.
    private func compare(_ text: [UInt8], _ seed: UInt64) throws {
        let value = try? JSON.parse(text)
        let naive = NaiveJSON.value(text)
        let context = Comment(rawValue: "seed \(seed): \(String(decoding: text, as: UTF8.self).debugDescription)")
        try #require(value?.bytes == naive?.bytes, context)
        try #require(value == naive, context)
        try #require(value?.canonical.bytes == naive?.canonical.bytes, context)
    }

    @Test func randomTextsHaveTheValuesOfTheNaiveParser() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(state: seed)
        var accepted = 0
        for _ in 0..<Self.documents {
            let text = RandomText.object(using: &random)
            try compare(text, seed)
            if NaiveJSON.value(text) != nil { accepted += 1 }
        }
        // Only numbers beyond the range of Double make a text invalid.
        #expect(accepted > Self.documents / 2)
    }

    @Test func damagedTextsAreAcceptedExactlyIfTheNaiveParserAcceptsThem() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("damagedTextsAreAcceptedExactlyIfTheNaiveParserAcceptsThem: seed \(seed)")
        var random = SplitMix64(state: seed)
        var accepted = 0
        for _ in 0..<Self.documents {
            let text = RandomText.object(using: &random)
            for _ in 0..<3 {
                let damaged = RandomText.damaged(text, using: &random)
                try compare(damaged, seed)
                if NaiveJSON.value(damaged) != nil { accepted += 1 }
            }
        }
        #expect((1..<Self.documents * 3).contains(accepted))
    }

    @Test func naiveParserAcceptsAndRejectsKnownTexts() {
        for text in ["", " ", "01", "1.", "[1,]", "{\"a\"}", "\"\\ud800\"", "\"\\u+041\"", "nul", "1e400", "[]]"] {
            #expect(NaiveJSON.value(utf8(text)) == nil, "\(text)")
        }
        #expect(NaiveJSON.value(utf8(#" {"a":[1,-0.5,"\u00e9\n"],"b":{}} "#)) == ["a": [1, -0.5, "é\n"], "b": [:]])
    }

    @Test func textThatEndsEarlyIsRejectedAtItsEnd() throws {
        let text = utf8(#" { "a" : [ 1 , -2.5e+3 , true , false , null , "é\n\u20ac\"" ] , "" : { "b" : { } } }"#)
        #expect(throws: Never.self) { try JSON.parse(text) }
        for count in text.indices {
            #expect(throws: JSONError(offset: count, reason: .unexpectedEnd)) { try JSON.parse(Array(text[..<count])) }
        }
    }

    @Test("V4: white space is accepted between all tokens, and nowhere else")
    func whiteSpaceBetweenTokensIsSkipped() throws {
        let tokens = ["{", #""a b""#, ":", "[", "1", ",", "-2.5e+3", ",", "true", ",", "null", "]", "}"]
        let value = try JSON.parse(text: tokens.joined())
        for space in [" ", "\t", "\r", "\n", String(repeating: " \r\n\t", count: 5)] {
            #expect(try JSON.parse(text: space + tokens.joined(separator: space) + space) == value)
        }
        for other in ["\u{B}", "\u{C}", "\u{0}", "\u{1F}", "\u{7F}", "\u{A0}", "\u{85}", "\u{2028}", "\u{FEFF}"] {
            for index in 0...tokens.count {
                let text = (tokens[..<index] + [other] + tokens[index...]).joined()
                let error = #expect(throws: JSONError.self) { try JSON.parse(text: text) }
                #expect(error?.offset == tokens[..<index].joined().utf8.count)
            }
        }
        for token in [#""a" "b""#, "1 2", "- 1", "1 .5", "1. 5", "1e 5", "tr ue"] {
            #expect(throws: JSONError.self) { try JSON.parse(text: "[\(token)]") }
        }
    }
}
