// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct SchemaTests {
    private func validate(_ fields: String, _ parameters: String) throws {
        let interface = try Interface(parsing: "interface a.b\nmethod M(\(fields)) -> ()")
        try interface.validate(Call(text: #"{"method":"a.b.M","parameters":\#(parameters)}"#))
    }

    @Test("V26, V28: structures of any width are validated", arguments: [1, 2, 63, 64, 65, 66, 128, 129, 200])
    func structuresOfAnyWidthAreValidated(width: Int) throws {
        let names = (0..<width).map { "f\($0)" }
        func validate(_ fields: [String], nullable: Bool = false) throws {
            try self.validate(
                names.map { $0 + (nullable ? ": ?int" : ": int") }.joined(separator: ", "),
                "{" + fields.joined(separator: ",") + "}")
        }
        let all = names.map { "\"\($0)\":1" }
        #expect(throws: Never.self) { try validate(all) }
        #expect(throws: Never.self) { try validate(all.reversed()) }
        #expect(throws: Never.self) { try validate([], nullable: true) }
        #expect(throws: Never.self) { try validate(names.map { "\"\($0)\":null" }, nullable: true) }
        for index in Set([0, width / 2, width - 1, min(63, width - 1), min(64, width - 1)]) {
            let error = CallError.invalidParameter(names[index])
            var fields = all
            fields[index] = "\"\(names[index])\":\"1\""
            #expect(throws: error) { try validate(fields) }
            #expect(throws: error) { try validate(fields, nullable: true) }
            fields[index] = "\"\(names[index])\":null"
            #expect(throws: error) { try validate(fields) }
            fields.remove(at: index)
            #expect(throws: error) { try validate(fields) }
            #expect(throws: Never.self) { try validate(fields, nullable: true) }
            fields.insert("\"g\":1", at: index)
            #expect(throws: CallError.invalidParameter("g")) { try validate(fields, nullable: true) }
        }
    }

    @Test(
        "the last of members with one name counts, whether it has escapes or not",
        arguments: [
            (#"{"a":1,"a":2}"#, nil), (#"{"a":1,"a":"2"}"#, "a"), (#"{"a":"1","a":2}"#, nil),
            (#"{"a":1,"\u0061":2}"#, nil), (#"{"a":1,"\u0061":"2"}"#, "a"), (#"{"\u0061":"1","a":2}"#, nil),
            (#"{"\u0061":1}"#, nil), (#"{"a":1,"a":2,"c":3}"#, "c"), (#"{"a":1,"b":1,"b":null}"#, nil),
            (#"{"a":1,"a":null}"#, "a"), (#"{"c":1,"a":1,"c":2}"#, "c"), (#"{"b":"1","b":"2","a":1}"#, "b"),
            (#"{"a":1,"\u0062":"x"}"#, "b"), (#"{"a":1,"\u0063":1}"#, "c"),
        ] as [(String, String?)])
    func lastOfRepeatedMembersCounts(parameters: String, invalid: String?) {
        let error = invalid.map { CallError.invalidParameter($0) }
        #expect(refusal { try validate("a: int, b: ?int", parameters) } == error)
    }

    @Test(
        "V29: numbers are integers exactly if they have no fraction or exponent and fit in 64 bits",
        arguments: [
            ("0", true), ("-0", true), ("9223372036854775807", true), ("-9223372036854775808", true),
            ("9007199254740993", true), ("9223372036854775808", false), ("-9223372036854775809", false),
            ("1.0", false), ("0.1e1", false), ("1e0", false), ("-0.0", false), ("1e-400", false),
            ("100000000000000000000000000000000000000", false),
        ])
    func integersHaveNoFractionOrExponent(number: String, isInteger: Bool) {
        let error = isInteger ? nil : CallError.invalidParameter("a")
        #expect(refusal { try validate("a: int", "{\"a\":\(number)}") } == error)
        #expect(refusal { try validate("a: float", "{\"a\":\(number)}") } == nil)
        #expect(refusal { try validate("a: string", "{\"a\":\(number)}") } == .invalidParameter("a"))
    }

    @Test func fieldsAndWordsThatDifferInOneByteAreDistinguished() throws {
        let stem = "abcdefghijklmnopqrstuvwxyzabcdefghijklmn"
        for length in [1, 2, 7, 8, 9, 15, 16, 17, 23, 24, 25, 32, 33, 40] {
            let name = String(stem.prefix(length))
            let others = (0..<length).map { index in
                name.prefix(index) + "Z" + name.dropFirst(index + 1)
            }
            // Near the end of the message there is no whole word to read.
            for padding in ["", String(repeating: " ", count: 40)] {
                let fields =
                    "\(name): int, word: ?(\(name), W), " + others.map { "\($0): ?bool" }.joined(separator: ",")
                #expect(throws: Never.self) { try validate(fields, "{\"word\":\"\(name)\",\"\(name)\":1\(padding)}") }
                for other in others {
                    #expect(throws: Never.self) { try validate(fields, "{\"\(name)\":1,\"\(other)\":true\(padding)}") }
                    #expect(throws: CallError.invalidParameter(String(other))) {
                        try validate(fields, "{\"\(name)\":1,\"\(other)\":1\(padding)}")
                    }
                    #expect(throws: CallError.invalidParameter("word")) {
                        try validate(fields, "{\"\(name)\":1,\"word\":\"\(other)\"\(padding)}")
                    }
                }
                for other in [name + "a", String(name.dropLast()), name + "\\u0000", name + "é"] where other != "" {
                    #expect(refusal { try validate(fields, "{\"\(name)\":1,\"\(other)\":1\(padding)}") } != nil)
                }
            }
        }
    }

    @Test("V34: the deepest message is validated, and one level more is rejected")
    func deepestMessageIsValidated() throws {
        let interface = try Interface(parsing: "interface a.b\ntype T (t: ?T)\nmethod M(t: ?T, any: ?any) -> ()")
        // The message and its parameters are two levels.
        func text(_ depth: Int, _ end: String) -> String {
            #"{"method":"a.b.M","parameters":"# + String(repeating: #"{"t":"#, count: depth - 1) + end
                + String(repeating: "}", count: depth)
        }
        #expect(throws: Never.self) { try interface.validate(Call(text: text(32, "null"))) }
        #expect(throws: CallError.invalidParameter(Array(repeating: "t", count: 31).joined(separator: "."))) {
            try interface.validate(Call(text: text(32, "1")))
        }
        #expect(throws: VarlinkError.self) { try Call(text: text(32, "{}")) }
    }

    private func refusal(_ body: () throws -> Void) -> CallError? {
        do {
            try body()
            return nil
        } catch {
            return error as? CallError
        }
    }
}
