// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

/// Compares the validation of calls with a naive one.
@Suite struct SchemaOracleTests {
    @Test(
        "V25 to V28: random calls are accepted and rejected like the naive validation does",
        arguments: [40, 64, 65, 130])
    func randomCallsAreValidatedLikeTheNaiveOnes(width: Int) throws {
        let interface = try WideInterface.parsed(width: width)
        let service = ServiceDescription(vendor: "", product: "", version: "", url: "", interfaces: [interface])
        let naive = NaiveValidation(interface: interface)
        let values = RandomValue(interface: interface)
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(state: seed)
        let calls = 2_000 / width
        var accepted = 0
        for name in interface.methods.keys.sorted() {
            let input = try #require(interface.methods[name]).input
            for _ in 0..<calls {
                let created = Call(
                    method: "\(interface.name).\(name)", parameters: values.object(input, using: &random))
                let parsed = try Call(parsing: created.encoded().dropLast())
                let expected = naive.invalidPath(created.parameters, input).map { path in
                    CallError.invalidParameter(path.joined(separator: "."))
                }
                for call in [created, parsed] {
                    let context: Comment = "seed \(seed): \(call.parameters)"
                    try #require(refusal(of: call, interface) == expected, context)
                    let answer = service.answer(call)
                    try #require(answer == expected.map { .failure($0) }, context)
                }
                if expected == nil { accepted += 1 }
            }
        }
        #expect(accepted > 0 && accepted < calls * interface.methods.count)
    }

    @Test("V25 to V28: damaged texts of calls are accepted and rejected like the naive validation does")
    func damagedCallsAreValidatedLikeTheNaiveOnes() throws {
        let interface = try WideInterface.parsed(width: 40)
        let naive = NaiveValidation(interface: interface)
        let values = RandomValue(interface: interface)
        let seed = UInt64.random(in: 0 ... .max)
        print("damagedCallsAreValidatedLikeTheNaiveOnes: seed \(seed)")
        var random = SplitMix64(state: seed)
        let input = try #require(interface.methods["Set"]).input
        for _ in 0..<1_000 {
            let text = JSON.object(values.object(input, using: &random)).bytes
            let damaged = RandomText.damaged(text, using: &random)
            guard let object = NaiveJSON.value(damaged)?.objectValue else { continue }
            let call = try Call(parsing: utf8(#"{"method":"a.b.Set","parameters":"#) + damaged + utf8("}"))
            let expected = naive.invalidPath(object, input).map {
                CallError.invalidParameter($0.joined(separator: "."))
            }
            try #require(
                refusal(of: call, interface) == expected, "seed \(seed): \(call.parameters)")
        }
    }

    private func refusal(of call: Call, _ interface: Interface) -> CallError? {
        do throws(CallError) {
            try interface.validate(call)
            return nil
        } catch {
            return error
        }
    }
}

/// An interface with wide structures, recursive types, and names that differ in one byte.
enum WideInterface {
    static func parsed(width: Int) throws(InterfaceError) -> Interface {
        func fields(_ count: Int, _ type: String) -> String {
            (0..<count).map { "aLongNameOfAField\($0): \(type)" }.joined(separator: ", ")
        }
        return try Interface(
            parsing: """
                interface a.b
                type Color (red, green, blue, reds, a_word_longer_than_24_bytes, a_word_longer_than_24_bytez)
                type Node (name: string, color: ?Color, next: ?Node, nodes: ?[]Node, byName: ?[string]Node)
                type Wide (\(fields(width, "?int")), last: bool)
                method Set(
                  name: string, namf: ?int, color: Color, node: ?Node, any: any, object: ?object, float: ?float,
                  matrix: ?[][]int, words: ?[string](one, two), unnamed: ?(x: (y: ?(z: bool))), nullables: []?int
                ) -> ()
                method Fill(\(fields(width, "?string")), wide: ?Wide, wides: ?[]Wide) -> ()
                method Required(\(fields(width, "any"))) -> ()
                method Empty() -> ()
                """)
    }
}
