// SPDX-License-Identifier: Apache-2.0

import Testing

/// Programs of somebody else, in `Tests/Outside`; in continuous integration, `DocumentCodeTests` also builds them.
@Suite(.blocking, .timeLimit(.minutes(10))) struct OutsideTests {
    static let programs = ["Clashes", "Client", "Errors", "Names"]

    static func text(_ name: String) throws -> String { try Package.text("Tests/Outside/\(name).swift") }

    @Test("names, errors and clashing declarations of a program compile", arguments: programs)
    func programCompiles(name: String) throws {
        let run = try SwiftCompiler.check(Self.text(name))
        #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
    }

    @Test("what cannot work does not compile, line by line") func misusesAreRefused() throws {
        let text = try Self.text("Misuses")
        let run = try SwiftCompiler.check(text)
        let refused = Set(run.errors.matches(of: #/main\.swift:(\d+):\d+: error: /#).compactMap { Int($0.output.1) })
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("func misuses") })
        let misuses = lines[(start + 1)...].prefix { $0 != "}" }
        #expect(misuses.count > 20)
        for (index, line) in zip(misuses.indices, misuses) { #expect(refused.contains(index + 1), "\(line) compiles") }
        #expect(refused.isSubset(of: misuses.indices.map { $0 + 1 }), "\(run.errors)")
    }
}
