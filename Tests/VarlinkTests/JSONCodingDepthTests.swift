// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct JSONCodingDepthTests {
    private static let tooDeep = "nested deeper than 32 levels"
    private static let error = JSONCodingError(path: String(repeating: "[0]", count: 32), reason: tooDeep)

    private func nested(_ depth: Int) -> JSON {
        (1..<depth).reduce(JSON.array([])) { value, _ in .array([value]) }
    }

    @Test func depth32IsEncodedAndDepth33IsRefused() throws {
        #expect(try JSON(encoding: Chain(length: 32)).decode(Chain.self).length == 32)
        #expect(try JSON(encoding: Tree(depth: 32)).decode() == Tree(depth: 32))
        #expect(try JSON(encoding: nested(32)) == nested(32))
        let path = Array(repeating: "next", count: 32).joined(separator: ".")
        #expect(throws: JSONCodingError(path: path, reason: Self.tooDeep)) { try JSON(encoding: Chain(length: 33)) }
        #expect(throws: Self.error) { try JSON(encoding: Tree(depth: 33)) }
        #expect(throws: Self.error) { try JSON(encoding: nested(33)) }
    }

    @Test func deepValuesAreRefusedByTypesThatReadThem() throws {
        #expect(try nested(32).decode(Tree.self) == Tree(depth: 32))
        #expect(throws: Self.error) { _ = try nested(33).decode(Tree.self) }
        #expect(try nested(33).decode(JSON.self) == nested(33))
    }

    /// A type that encodes and decodes itself in place of a value.
    struct Endless: Codable {
        init() {}

        init(from decoder: any Decoder) throws {
            self = try decoder.singleValueContainer().decode(Endless.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self)
        }
    }

    @Test func typesThatCodeThemselvesAreRefused() {
        let error = JSONCodingError(path: "a", reason: "more than 128 values are coded within each other")
        #expect(throws: error) { _ = try JSON(encoding: ["a": Endless()]) }
        #expect(throws: error) { _ = try (["a": 1] as JSON).decode([String: Endless].self) }
    }

    /// A type that ignores the errors of its contents.
    struct Careless: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try? container.encode(Tree(depth: 32))
        }
    }

    @Test func errorsOfDepthCannotBeIgnored() {
        #expect(throws: Self.error) { try JSON(encoding: Careless()) }
    }
}
