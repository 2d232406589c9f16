// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct JSONCodingErrorTests {
    /// An error that the code of a type throws.
    struct OwnError: Error, CustomStringConvertible {
        let description = "too loud"
    }

    struct Failing: Codable {
        var first = 1

        init() {}

        init(from decoder: any Decoder) throws {
            first = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .first)
            throw OwnError()
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(first, forKey: .first)
            throw OwnError()
        }

        enum CodingKeys: CodingKey { case first }
    }

    /// An attempt to decode a text, and its error.
    struct Attempt: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let expected: String
        let error: @Sendable () throws -> JSONCodingError?

        init<Value: Decodable & Sendable>(_ type: Value.Type, _ text: String, _ expected: String) {
            testDescription = "\(type) \(text)"
            self.expected = expected
            error = {
                let json = try JSON.parse(text: text)
                return #expect(throws: JSONCodingError.self) { _ = try json.decode(type) }
            }
        }
    }

    private static let kinds: [Attempt] = [
        Attempt(Bool.self, "1", "expected a boolean, found a number"),
        Attempt(String.self, "null", "expected a string, found null"),
        Attempt(Int.self, "true", "expected an integer, found a boolean"),
        Attempt(Double.self, #""1""#, "expected a number, found a string"),
        Attempt(Float.self, "{}", "expected a number, found an object"),
        Attempt([Int].self, "{}", "expected an array, found an object"),
        Attempt(Volume.self, "[]", "expected an object, found an array"),
        Attempt(JSONObject.self, "1.5", "expected an object, found a number"),
        Attempt([String: Volume].self, #"{"a":{"level":"b"}}"#, "a.level: expected a number, found a string"),
        Attempt(
            Mixer.self, #"{"volumes":[{"level":0,"isMuted":0}]}"#,
            "volumes[0].isMuted: expected a boolean, found a number"),
        Attempt([[Bool]].self, "[[true],[true,[]]]", "[1][1]: expected a boolean, found an array"),
        Attempt([String: [Bool]].self, #"{"a b":[0]}"#, #"["a b"][0]: expected a boolean, found a number"#),
        Attempt(
            [String: [String: Bool]].self, #"{"":{"a.\n\"":0}}"#,
            #"[""]["a.\n\""]: expected a boolean, found a number"#),
        Attempt([Int: Bool].self, #"{"7":0}"#, "7: expected a boolean, found a number"),
    ]

    private static let numbers: [Attempt] = [
        Attempt(Int8.self, "128", "expected an integer from -128 to 127, found 128"),
        Attempt(Int16.self, "-32769", "expected an integer from -32768 to 32767, found -32769"),
        Attempt(UInt8.self, "-1", "expected an integer from 0 to 255, found -1"),
        Attempt([UInt].self, "[-1]", "[0]: expected an integer from 0 to 9223372036854775807, found -1"),
        Attempt(UInt32.self, "4294967296", "expected an integer from 0 to 4294967295, found 4294967296"),
        Attempt(
            UInt64.self, "18446744073709551615",
            "expected an integer from 0 to 9223372036854775807, found 1.8446744073709552e+19"),
        Attempt(
            Int64.self, "9223372036854775808",
            "expected an integer from -9223372036854775808 to 9223372036854775807, found 9.223372036854776e+18"),
        Attempt(Int8.self, "1.5", "expected an integer from -128 to 127, found 1.5"),
        Attempt(Float.self, "1e39", "expected a number in the range of Float, found 1e+39"),
        Attempt(Priority.self, "129", "expected an integer from -128 to 127, found 129"),
    ]

    private static let contents: [Attempt] = [
        Attempt(Volume.self, "{}", "level: missing"),
        Attempt(Volume.self, #"{"level":null}"#, "level: expected a number, found null"),
        Attempt(
            [String: Mode].self, #"{"a":"soft"}"#, "a: Cannot initialize Mode from invalid String value soft"),
        Attempt([String: Failing].self, #"{"a":{"first":1}}"#, "a: too loud"),
        Attempt([String: Failing].self, #"{"a":{"first":"b"}}"#, "a.first: expected an integer, found a string"),
    ]

    @Test(arguments: kinds + numbers + contents)
    func errorsNameThePathTheExpectationAndTheValue(attempt: Attempt) throws {
        #expect(try attempt.error()?.description == attempt.expected)
    }

    @Test func errorsOfTheStandardLibraryHaveAPath() throws {
        let pair = try JSON.parse(text: #"[{"circle":{"radius":1},"none":{}}]"#)
        let shape = #expect(throws: JSONCodingError.self) { _ = try pair.decode([Shape].self) }
        #expect(shape?.path == "[0]")
        let range = #expect(throws: JSONCodingError.self) {
            _ = try (["a": [2, 1]] as JSON).decode([String: ClosedRange<Int>].self)
        }
        #expect(range?.path == "a")
    }

    private func message(encoding value: some Encodable) -> String? {
        let error = #expect(throws: JSONCodingError.self) { _ = try JSON(encoding: value) }
        return error?.description
    }

    @Test func numbersThatJSONCannotHoldAreNotEncoded() {
        #expect(message(encoding: Volume(level: .nan)) == "level: expected a finite number, found nan")
        #expect(message(encoding: [1, Float.infinity]) == "[1]: expected a finite number, found inf")
        let infinite = JSON.array([.number(-.infinity)])
        #expect(message(encoding: ["a": infinite]) == "a[0]: expected a finite number, found -inf")
        let range = "expected an integer from -9223372036854775808 to 9223372036854775807"
        #expect(message(encoding: [[UInt64.max]]) == "[0][0]: \(range), found 18446744073709551615")
        #expect(message(encoding: ["a": UInt.max]) == "a: \(range), found 18446744073709551615")
    }

    @Test func errorsOfATypeHaveThePathOfItsValue() {
        #expect(message(encoding: ["a": [Failing()]]) == "a[0]: too loud")
        #expect(message(encoding: Failing()) == "too loud")
    }
}
