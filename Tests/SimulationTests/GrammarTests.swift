// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// The generation of hostile calls from the interfaces.
@Suite struct GrammarTests {
    private static let sample = """
        # colour: red, green (the default) or blue.
        interface org.example.Paint
        # colour: red, green (the default) or blue. Neither is
        type Coat (colour: string, layers: ?int)
        # finish: matt, gloss.
        method Paint(coats: []Coat, finish: ?string, notes: [string]string) -> (job: string)
        method Cancel(job: string, finish: string, extra: object) -> ()

        """

    private static func calls(of interfaces: [Interface], count: Int, harvest: Harvest = Harvest()) -> [Call] {
        let grammar = Grammar(interfaces)
        let choices = Choices(seed: 1)
        return (0..<count).compactMap { _ in
            try? Call(parsing: Array(grammar.call(choices, harvest: harvest).dropLast()))
        }
    }

    @Test("every method of the bus is called in every mode, with valid and invalid parameters")
    func everyMethodIsCalled() {
        let interfaces = SimulatedBus.interfaces
        let calls = Self.calls(of: interfaces, count: 6_000)
        for interface in interfaces {
            for name in interface.methods.keys {
                let own = calls.filter { $0.method == "\(interface.name).\(name)" }
                for mode in [Call.Mode.plain, .more, .oneway, .upgrade] {
                    #expect(own.contains { $0.mode == mode }, "\(name) \(mode)")
                }
                let right = own.count { (try? interface.validate($0)) != nil }
                #expect((1..<own.count).contains(right), "\(name): \(right) of \(own.count)")
            }
        }
    }

    @Test("additions to an interface are called automatically")
    func additionsAreCalled() throws {
        let interface = try Interface(parsing: Self.sample)
        let right = Self.calls(of: [interface], count: 2_000).filter { (try? interface.validate($0)) != nil }
        #expect(Set(right.map(\.member)) == ["Paint", "Cancel"])
        let coats = right.compactMap { $0.parameters["coats"]?.arrayValue }
        #expect(coats.contains(where: \.isEmpty) && coats.contains { $0.count > 100 })
    }

    @Test("the words that comments list for a field are its values, with the nearest comment first")
    func commentsListWords() throws {
        let vocabulary = Vocabulary([try Interface(parsing: Self.sample)] + SimulatedBus.interfaces)
        #expect(vocabulary.words(for: "colour", in: "Coat") == ["blue", "green", "red"])
        #expect(vocabulary.words(for: "finish", in: "Cancel") == ["gloss", "matt"])
        #expect(
            vocabulary.words(for: "state", in: "SetState") == ["background", "foreground", "inactive", "suspended"])
        #expect(vocabulary.words(for: "state", in: "Proximity") == ["far", "near", "unknown"])
        #expect(vocabulary.words(for: "job", in: "Cancel").isEmpty)
    }

    @Test("values from replies are used in calls")
    func repliesAreUsed() throws {
        let interface = try Interface(parsing: Self.sample)
        var harvest = Harvest()
        harvest.take(["jobs": [["job": "7f"]]])
        let calls = Self.calls(of: [interface], count: 200, harvest: harvest)
        #expect(calls.contains { $0.member == "Cancel" && $0.parameters["job"] == "7f" })
    }

    @Test("the recorded decisions of a seed lead to the same life")
    func scriptRepeatsALife() throws {
        func lines(_ choices: Choices, steps: Int) throws -> (lines: [String], script: [UInt8]) {
            var lines: [String] = []
            let life = try HostileLife(choices: choices) { lines.append($0) }
            try life.run(steps: steps)
            return (Array(lines.prefix { $0 != "the life comes to rest" }), life.script)
        }
        let first = try lines(Choices(seed: 7), steps: 40)
        let second = try lines(Choices(bytes: first.script), steps: 400)
        #expect(first.lines == second.lines && first.script == second.script)
        #expect(first.lines.count > 20)
    }
}
