// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct InterfaceParserTests {
    private func parse(_ members: String) throws(InterfaceError) -> Interface {
        try Interface(parsing: "interface a.b\n" + members)
    }

    @Test("V40: every construct of the language is parsed")
    func sampleHasItsMembers() throws {
        let interface = try SampleInterface.parsed()
        #expect(interface.name == "org.example.sample-2.Lamp")
        #expect(interface.text == SampleInterface.text)
        #expect(interface.types.keys.sorted() == ["All", "Color", "Lamp", "Nothing", "Single"])
        #expect(interface.methods.keys.sorted() == ["Empty", "Set", "Take"])
        #expect(interface.errors.keys.sorted() == ["Dark", "NoLamp"])
        #expect(interface.types["Color"] == .enumeration(["red", "green", "blue"]))
        #expect(interface.types["Single"] == .enumeration(["only"]))
        guard case .structure(let nothing) = interface.types["Nothing"] else {
            Issue.record("Nothing is not a structure")
            return
        }
        #expect(nothing.fields.isEmpty)
        #expect(interface.errors["NoLamp"]?.fields.map(\.name) == ["name"])
        #expect(interface.methods["Set"]?.input.fields.map(\.name) == ["lamp", "policies", "byName"])
        #expect(interface.methods["Set"]?.output.fields.map(\.type) == [.int])
    }

    @Test func fieldsHaveTheirTypes() throws {
        let interface = try SampleInterface.parsed()
        let nothing = try #require(interface.types["Nothing"])
        guard case .structure(let all) = interface.types["All"] else {
            Issue.record("All is not a structure")
            return
        }
        let types = Dictionary(uniqueKeysWithValues: all.fields.map { ($0.name, $0.type) })
        #expect(types["bool"] == .bool && types["int"] == .int && types["float"] == .float)
        #expect(types["string"] == .string && types["object"] == .object && types["any"] == .any)
        #expect(types["enum"] == .enumeration(["one", "two", "three"]))
        #expect(types["array"] == .array(.string) && types["matrix"] == .array(.array(.int)))
        #expect(types["dictionary"] == .dictionary(.string) && types["stringset"] == .dictionary(nothing))
        #expect(types["nullable"] == .nullable(.string) && types["type"] == .named("Nothing"))
        #expect(types["nullable_elements"] == .array(.nullable(.dictionary(.enumeration(["foo", "bar"])))))
        guard case .nullable(.array(.structure(let element))) = types["nullable_array_struct"] else {
            Issue.record("nullable_array_struct has another type")
            return
        }
        #expect(element.fields.map(\.name) == ["first", "second"] && element.fields.map(\.type) == [.int, .string])
        #expect(all.fields.map(\.name).last == "type")
    }

    @Test(
        "V42: valid interface names are accepted",
        arguments: [
            "a.b", "org.example.Bus", "a-b.c--d", "a1.2b", "A.B.C", "com.example.0",
        ])
    func interfaceNamesAreAccepted(name: String) throws {
        #expect(try Interface(parsing: "interface \(name)\nmethod M() -> ()").name == name)
    }

    @Test(
        "V42: invalid interface names are rejected",
        arguments: ["a", "a.", ".a", "a..b", "-a.b", "a-.b", "a.-b", "a.b-", "1a.b", "a_b.c", "ä.b", ""])
    func otherInterfaceNamesAreRejected(name: String) {
        let error = #expect(throws: InterfaceError.self) {
            try Interface(parsing: "interface \(name)\nmethod M() -> ()")
        }
        #expect(error?.line == (name.isEmpty ? 2 : 1))
    }

    @Test("V42: valid field names are accepted", arguments: ["a", "A", "aB1", "a_b", "a_1_c", "interface", "bool"])
    func fieldNamesAreAccepted(name: String) throws {
        #expect(try parse("error E (\(name): int)").errors["E"]?.fields.map(\.name) == [name])
    }

    @Test("V42: invalid field names are rejected", arguments: ["_a", "a_", "a__b", "1", "a-b", "ä", ""])
    func otherFieldNamesAreRejected(name: String) {
        #expect(throws: InterfaceError.self) { try parse("error E (\(name): int)") }
    }

    @Test("V43: all line ends and white space are accepted", arguments: ["\n", "\r\n", "\r", "\u{2028}", "\u{2029}"])
    func lineEndsAndWhiteSpaceAreAccepted(lineEnd: String) throws {
        let space = " \t\u{A0}\u{FEFF}\u{1680}\u{180E}\u{2000}\u{200A}\u{202F}\u{205F}\u{3000}"
        let lines = [
            "# comment", "interface\(space)a.b\(space)# comment", "", "error\(space)E\(space)(", "x\(space):", "int)",
            "# end", "method M()->()",
        ]
        let interface = try Interface(parsing: lines.joined(separator: lineEnd))
        #expect(interface.errors["E"]?.fields.map(\.name) == ["x"])
        #expect(interface.methods["M"] != nil)
        let error = #expect(throws: InterfaceError.self) {
            try Interface(parsing: (lines + ["!"]).joined(separator: lineEnd))
        }
        #expect(error?.line == 9 && error?.column == 1)
    }

    @Test(
        "V40, V43: an invalid definition is rejected with its position",
        arguments: [
            ("", 1, 1), ("# only\n", 2, 1), ("method M() -> ()", 1, 1), ("interface a.b", 1, 14),
            ("interface a.b method M() -> ()", 1, 15), ("interface\u{B}a.b\n", 1, 10),
            ("interface a.b\nmethod M() -> () method N() -> ()", 2, 18), ("interface a.b\nmethod M()", 2, 11),
            ("interface a.b\nmethod m() -> ()", 2, 8), ("interface a.b\nmethodM() -> ()", 2, 7),
            ("interface a.b\nmethod M() - ()", 2, 12), ("interface a.b\nmethod M(a) -> ()", 2, 9),
            ("interface a.b\nerror E", 2, 8), ("interface a.b\nstruct E ()", 2, 1),
            ("interface a.b\nerror E (a: int,)", 2, 17), ("interface a.b\nerror E (a: int b: int)", 2, 17),
            ("interface a.b\nerror E (a: ??int)", 2, 14), ("interface a.b\nerror E (a: integer)", 2, 13),
            ("interface a.b\nerror E (a: [int]int)", 2, 13), ("interface a.b\nerror E (a: )", 2, 13),
            ("interface a.b\ntype T (a, b: int)", 2, 13), ("interface a.b\ntype T (a: int, b)", 2, 18),
            ("interface a.b\ntype T int", 2, 8), ("interface a.b\ntype T (a: int", 2, 15),
            ("interface a.b\ntype T (a, a)", 2, 12), ("interface a.b\ntype T (\n  a: int,\n  a: int\n)", 4, 3),
            ("interface a.b\ntype T ()\n\nerror T ()", 4, 7), ("interface a.b\nmethod T() -> ()\ntype T ()", 3, 6),
            ("interface a.b\ntype T (a: U)", 2, 12), ("interface a.b\nerror E ()\ntype T (a: E)", 3, 12),
        ])
    func invalidDefinitionIsRejectedWithItsPosition(text: String, line: Int, column: Int) {
        let error = #expect(throws: InterfaceError.self) { try Interface(parsing: text) }
        #expect(error?.line == line && error?.column == column, "\(error?.description ?? "")")
    }

    @Test func typesMayBeUsedBeforeTheyAreDefined() throws {
        #expect(try parse("type A (b: ?B)\ntype B (a: []A)").types.count == 2)
    }

    @Test func hostileNestingCausesAnError() {
        for nesting in ["[]", "[]?", "[string]", "(a:"] {
            #expect(throws: InterfaceError.self) {
                try parse("error E (a: " + String(repeating: nesting, count: 10_000))
            }
        }
    }

    @Test func errorsHaveAPositionAndAReason() {
        let error = #expect(throws: InterfaceError.self) { try parse("type T (a: U)") }
        #expect(error?.description == "2:12: type 'U' is not defined")
    }
}
