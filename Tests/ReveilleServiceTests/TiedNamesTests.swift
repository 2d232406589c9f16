// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@testable import ReveilleService

@Suite struct TiedNamesTests {
    @Test("a name belongs to the connection that published it last, and to no other")
    func lastConnectionDecides() {
        var tied = TiedNames()
        tied.move("org.example.b", from: nil, to: 1)
        tied.move("org.example.a", from: nil, to: 1)
        #expect(tied.names(of: 1) == ["org.example.a", "org.example.b"])
        tied.move("org.example.a", from: 1, to: 2)
        tied.move("org.example.a", from: 2, to: 2)
        #expect(tied.names(of: 1) == ["org.example.b"])
        #expect(tied.names(of: 2) == ["org.example.a"])
        tied.move("org.example.a", from: 2, to: nil)
        tied.move("org.example.b", from: 1, to: nil)
        #expect(tied.names.isEmpty)
    }

    @Test("a connection that publishes and withdraws a hundred thousand names leaves nothing behind")
    func withdrawnNamesAreForgotten() throws {
        var tied = TiedNames()
        for number in 0..<100_000 {
            let name = try #require(Aspect("org.example.n\(number)"))
            tied.move(name, from: nil, to: 1)
            // Another connection of the same user may withdraw it too.
            tied.move(name, from: 1, to: nil)
        }
        #expect(tied.names.isEmpty)
    }
}
