// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct JSONWriterTests {
    @Test("V4: no white space is written, and members keep their order")
    func writingIsCompactAndInOrder() {
        let value: JSON = ["b": [1, 2.5, nil, true, false], "a": ["x": "y"], "c": [:], "d": []]
        #expect(value.description == #"{"b":[1,2.5,null,true,false],"a":{"x":"y"},"c":{},"d":[]}"#)
    }

    @Test("V29: integers of each length are written like their descriptions")
    func integersOfEachLengthAreWritten() {
        var random = SplitMix64(state: 1)
        var power: Int64 = 1
        for _ in 0...18 {
            let near = [power - 1, power, power + 1, power &* 9, power / 2]
            let others = (0..<100).map { _ in Int64.random(in: 0...power, using: &random) }
            for value in near + others + [Int64.max, -Int64.max] {
                #expect(JSON.integer(value).description == value.description)
                #expect(JSON.integer(-value).description == (-value).description)
            }
            power = power &* 10
        }
    }

    @Test(
        arguments: [
            (1, "1.0"), (-0.0, "-0.0"), (0.1, "0.1"), (3.141592653589793, "3.141592653589793"), (1e20, "1e+20"),
            (.leastNonzeroMagnitude, "5e-324"), (1e15, "1000000000000000.0"),
        ] as [(Double, String)])
    func numbersHaveAFractionOrAnExponent(value: Double, text: String) throws {
        #expect(JSON.number(value).description == text)
        #expect(try JSON.parse(text: text) == .number(value))
    }

    @Test("V30: NaN and infinities are never written", arguments: [Double.nan, .infinity, -.infinity])
    func nonFiniteNumbersAreWrittenAsNull(value: Double) {
        #expect(JSON.array([.number(value)]).description == "[null]")
    }

    private static let constants: [StaticString] = [
        "", "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghij",
        "abcdefghijk", "abcdefghijkl", "abcdefghijklm", "abcdefghijklmn", "abcdefghijklmno", "abcdefghijklmnop",
        "abcdefghijklmnopq", "abcdefghijklmnopqr", "abcdefghijklmnopqrs", "abcdefghijklmnopqrst",
        "abcdefghijklmnopqrstu", "abcdefghijklmnopqrstuv", "abcdefghijklmnopqrstuvw", "abcdefghijklmnopqrstuvwx",
    ]

    @Test("constant texts of each length are appended, and the text after them", arguments: constants.indices)
    func shortTextsAreAppended(length: Int) {
        let text = Self.constants[length]
        var bytes = utf8("<")
        bytes.append(addingCapacity: 3 * ShortText.room) { output in
            output.append(ShortText(text))
            output.append(ShortText(text))
            if length <= ShortText.room - 4 { output.append(ShortText(text).member) }
        }
        let member = length <= ShortText.room - 4 ? ",\"\(text)\":" : ""
        #expect("\(text)".utf8.count == length)
        #expect(bytes == utf8("<\(text)\(text)\(member)"))
    }

    @Test func writersAppendToTheBuffer() {
        var bytes = utf8("[")
        JSON.writeString("a", into: &bytes)
        JSON.writeInteger(-120, into: &bytes)
        JSON.writeNumber(0.5, into: &bytes)
        #expect(bytes == utf8(#"["a"-1200.5"#))
    }
}
