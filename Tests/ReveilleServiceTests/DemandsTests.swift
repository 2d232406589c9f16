// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing

@testable import ReveilleService

@Suite struct DemandsTests {
    @Test(
        "B216: an observer is sent what differs from its last reply, and a demand that comes and goes meanwhile is nothing"
    )
    func differencesAreSent() {
        var demands = Demands()
        demands.begin(1, with: ["org.example.a", "org.example.b"].map { NameDemand(aspect: $0, isNeeded: false) })
        #expect(demands.takeChanges(for: 1) { _ in false }.map(\.aspect) == [])
        #expect(demands.takeChanges(for: 1) { $0 == "org.example.b" }.map(\.aspect) == ["org.example.b"])
        #expect(demands.takeChanges(for: 1) { $0 == "org.example.b" }.map(\.aspect) == [])
        let left = demands.takeChanges(for: 1) { _ in false }
        #expect(left.map(\.aspect) == ["org.example.b"] && left.allSatisfy { !$0.isNeeded })
    }

    @Test("the end of an observation names what was observed, once")
    func endNamesWhatWasObserved() {
        var demands = Demands()
        demands.begin(1, with: [NameDemand(aspect: "org.example.a", isNeeded: true)])
        #expect(demands.end(1) == ["org.example.a"])
        #expect(demands.isEmpty)
        #expect(demands.end(1) == [])
        #expect(demands.takeChanges(for: 1) { _ in false }.map(\.aspect) == [])
    }
}
