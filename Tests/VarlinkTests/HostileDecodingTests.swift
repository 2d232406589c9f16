// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct HostileDecodingTests {
    private let types: [any Codable.Type] = [
        Volume.self, Mode.self, Priority.self, Shape.self, Mixer.self, Integers.self, Nothing.self, Chain.self,
        Tree.self, JSON.self, JSONObject.self, JSONContainerTests.BookShelf.self, JSONContainerTests.Nested.self,
        [String: Int?].self, [Int: [Shape]].self, [[Double?]].self, [Mode: Priority].self, Set<Float>.self,
        ClosedRange<Int>.self, Range<Int8>.self, Duration.self, UInt8?.self,
    ]

    /// Checks that a value is decoded or refused, and that a decoded one can be encoded and decoded again.
    private func check<Value: Codable>(_ type: Value.Type, _ json: JSON) throws {
        let value: Value
        do throws(JSONCodingError) {
            value = try json.decode(type)
        } catch {
            return #expect(!error.reason.isEmpty)
        }
        let form = try JSON(encoding: value)
        // The elements of sets and dictionaries have no order.
        let again = try JSON(encoding: form.decode(type))
        try #require(again.bytes.count == form.bytes.count, "\(type) \(json)")
    }

    @Test func randomJSONNeverTraps() throws {
        var random = SplitMix64(state: 12)
        for _ in 0..<2000 {
            let json = JSON.random(depth: 4, using: &random)
            for type in types { try check(type, json) }
        }
    }

    @Test func damagedFormsOfATypeNeverTrap() throws {
        var random = SplitMix64(state: 13)
        let mixer = Mixer(
            volumes: [Volume(level: 0, device: "a")], modes: ["a": .quiet], priorities: [1: .high],
            shapes: [[.pair(.line(1, 2), with: .circle(radius: 3))]], names: ["x"], rest: [1], more: ["a": 1])
        let forms = try [JSON(encoding: mixer), JSON(encoding: Integers()), JSON(encoding: Tree(depth: 5))]
        for _ in 0..<2000 {
            try check(Mixer.self, forms[0].damaged(using: &random))
            try check(Integers.self, forms[1].damaged(using: &random))
            try check(Tree.self, forms[2].damaged(using: &random))
        }
    }

    @Test func tenThousandMembersAreDecodedAndEncoded() throws {
        let names = (0..<10_000).map { "\($0 % 9_000)" }
        let object = JSONObject(members: names.map { JSONObject.Member(name: $0, value: .string($0)) })
        let values = try JSON.object(object).decode([Int: String].self)
        #expect(values.count == 9_000 && values[8_999] == "8999")
        #expect(try JSON(encoding: object).objectValue?.members.count == 9_000)
    }
}

extension JSON {
    /// Returns the value with some of its parts replaced by random ones.
    fileprivate func damaged(using random: inout SplitMix64) -> JSON {
        guard Int.random(in: 0..<12, using: &random) > 0 else { return .random(depth: 2, using: &random) }
        switch self {
        case .array(let elements): return .array(elements.map { $0.damaged(using: &random) })
        case .object(let object):
            return .object(
                JSONObject(
                    members: object.members.map {
                        JSONObject.Member(name: $0.name, value: $0.value.damaged(using: &random))
                    }))
        default: return self
        }
    }
}
