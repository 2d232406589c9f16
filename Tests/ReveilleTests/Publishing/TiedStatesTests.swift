// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing

@testable import Reveille

/// The states that a device publishes again after each loss of its bus.
@Suite struct TiedStatesTests {
    private static let name: Aspect = "org.example.a"
    private static let other: Aspect = "org.example.b"
    private var states = TiedStates()

    private let accepted = Result<Revision, ReveilleError>.success(Revision(generation: 1, sequence: 1))
    private static func failed(_ code: ReveilleError.Code) -> Result<Revision, ReveilleError> {
        .failure(ReveilleError(code, "it failed"))
    }

    private func value(_ number: Int, of name: Aspect = name) -> PublishedValue {
        PublishedValue(name, bytes: Array("{\"a\":\(number)}".utf8))
    }

    private var latest: [PublishedValue] { states.latest.map(\.value) }

    /// Publishes a state again, and returns the error for which it is given up.
    private mutating func publishAgain(
        _ value: PublishedValue, _ result: Result<Revision, ReveilleError>
    ) -> ReveilleError.Code? { states.publishAgain(value, result)?.code }

    @Test("a state that was accepted, or for which there was no bus, is published again, by name")
    mutating func latestValues() {
        states.publish(value(1, of: Self.other), isTied: true, accepted)
        states.publish(value(1), isTied: true, Self.failed(.noBus))
        #expect(latest == [value(1), value(1, of: Self.other)])
        states.publish(value(2), isTied: true, Self.failed(.timeout))
        #expect(latest == [value(2), value(1, of: Self.other)])
        #expect(states.latest.allSatisfy { $0.whileConnected })
    }

    @Test("a state that the bus refuses leaves the last one") mutating func refusedValueLeavesTheLast() {
        states.publish(value(1), isTied: true, accepted)
        states.publish(value(2), isTied: true, Self.failed(.quotaExceeded))
        #expect(latest == [value(1)])
    }

    @Test("a state that is not tied replaces one that is", arguments: [true, false])
    mutating func untiedValueReplaces(isAnswered: Bool) {
        states.publish(value(1), isTied: true, accepted)
        states.publish(value(2), isTied: false, isAnswered ? accepted : Self.failed(.noBus))
        #expect(latest.isEmpty)
    }

    @Test("a withdrawn state is not published again") mutating func withdrawnValueIsGone() {
        states.publish(value(1), isTied: true, accepted)
        states.publish(value(2), isTied: true, Self.failed(.noBus))
        states.withdraw(Self.name)
        #expect(latest.isEmpty)
    }

    @Test("a lost answer to a state that the bus has accepted before leaves it for the next connection")
    mutating func knownValueIsKept() {
        states.publish(value(1), isTied: true, accepted)
        #expect(publishAgain(value(1), Self.failed(.noBus)) == nil)
        #expect(latest == [value(1)])
        #expect(publishAgain(value(1), accepted) == nil)
        #expect(latest == [value(1)])
    }

    @Test("a state over which the bus closes the connection, and that no bus has accepted, is given up")
    mutating func unknownValueIsGivenUp() {
        states.publish(value(1), isTied: true, accepted)
        states.publish(value(2), isTied: true, Self.failed(.noBus))
        #expect(publishAgain(value(2), Self.failed(.timeout)) == nil, "a slow bus may accept it later")
        #expect(latest == [value(2)])
        #expect(publishAgain(value(2), Self.failed(.noBus)) == .noBus)
        #expect(latest.isEmpty, "the one before was replaced")
    }
}
