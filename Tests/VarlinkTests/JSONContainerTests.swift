// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

/// Types that use containers in ways that the compiler does not synthesize.
@Suite struct JSONContainerTests {
    class Shelf: Codable {
        var width = 0
    }

    final class BookShelf: Shelf {
        var books: [String] = []

        override init() {
            super.init()
        }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            books = try container.decode([String].self, forKey: .books)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(books, forKey: .books)
            try super.encode(to: container.superEncoder())
        }

        enum CodingKeys: CodingKey { case books }
    }

    @Test func superclassesHaveAMemberOfTheirOwn() throws {
        let shelf = BookShelf()
        shelf.width = 3
        shelf.books = ["a"]
        let json = try JSON(encoding: shelf)
        #expect(json.description == #"{"books":["a"],"super":{"width":3}}"#)
        #expect(try json.decode(BookShelf.self).width == 3)
        #expect(throws: JSONCodingError(path: "super", reason: "expected an object, found null")) {
            _ = try (["books": []] as JSON).decode(BookShelf.self)
        }
    }

    /// A type that interleaves nested containers of all kinds.
    struct Nested: Codable, Equatable {
        var numbers = [1, 2]

        init() {}

        init(from decoder: any Decoder) throws {
            let outer = try decoder.container(keyedBy: JSONName.self)
            var list = try outer.nestedUnkeyedContainer(forKey: "list")
            let isNil = try [list.decodeNil(), list.decodeNil()]
            let inner = try list.nestedContainer(keyedBy: JSONName.self)
            var empty = try list.nestedUnkeyedContainer()
            let last = try list.superDecoder().singleValueContainer().decode(Int.self)
            let object = try outer.nestedContainer(keyedBy: JSONName.self, forKey: "object")
            let isAbsent = try object.decodeIfPresent(Int.self, forKey: "null") == nil
            guard isNil == [true, false], isAbsent, list.isAtEnd, try empty.decodeIfPresent(Int.self) == nil,
                try outer.superDecoder(forKey: "above").singleValueContainer().decodeNil()
            else { throw JSONCodingErrorTests.OwnError() }
            numbers = [try inner.decode(Int.self, forKey: "a"), last]
        }

        func encode(to encoder: any Encoder) throws {
            var outer = encoder.container(keyedBy: JSONName.self)
            var list = outer.nestedUnkeyedContainer(forKey: "list")
            var object = outer.nestedContainer(keyedBy: JSONName.self, forKey: "object")
            try list.encodeNil()
            var inner = list.nestedContainer(keyedBy: JSONName.self)
            _ = list.nestedUnkeyedContainer()
            try numbers[1].encode(to: list.superEncoder())
            try object.encodeNil(forKey: "null")
            // The containers of one value are one object.
            var same = encoder.container(keyedBy: JSONName.self)
            try same.encode(3, forKey: "same")
            try inner.encode(0, forKey: "a")
            try inner.encode(numbers[0], forKey: "a")
            _ = outer.superEncoder(forKey: "empty")
        }
    }

    @Test func nestedContainersCanBeFilledInAnyOrder() throws {
        let json = try JSON(encoding: Nested())
        #expect(json.description == #"{"list":[null,{"a":1},[],2],"object":{"null":null},"same":3,"empty":{}}"#)
        #expect(try json.decode() == Nested())
    }

    @Test func readingBeyondTheEndOfAnArrayIsAnError() throws {
        let json = try JSON.parse(text: #"{"list":[null,{"a":1}],"object":{}}"#)
        #expect(throws: JSONCodingError(path: "list[2]", reason: "missing")) { _ = try json.decode(Nested.self) }
    }

    /// A type that tries another type first, and encodes something after an error.
    struct Lenient: Codable, Equatable {
        var text: String

        init(_ text: String) {
            self.text = text
        }

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            do {
                text = "\(try container.decode(Int.self))"
            } catch DecodingError.typeMismatch {
                text = try container.decode(String.self)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try? container.encode(Double.nan)
            try container.encode(text)
        }
    }

    @Test func codeThatCatchesAnErrorContinues() throws {
        #expect(try JSON.text(encoding: Lenient("a")) == #"["a"]"#)
        #expect(try JSON.array(["a"]).decode() == Lenient("a"))
        #expect(try JSON.array([1]).decode() == Lenient("1"))
    }

    /// A type that is an object and an array.
    struct Twofold: Encodable {
        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: JSONName.self)
            var array = encoder.unkeyedContainer()
            try array.encode(1)
            try object.encode(1, forKey: "a")
        }
    }

    @Test func valuesOfTwoKindsAreRefused() {
        #expect(throws: JSONCodingError(path: "a", reason: "encoded as an object and as an array")) {
            try JSON(encoding: ["a": Twofold()])
        }
    }
}

private struct JSONName: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringLiteral name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
