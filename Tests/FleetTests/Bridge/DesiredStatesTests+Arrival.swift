// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleetCore
import ReveilleWire
import Testing
import Varlink

/// Values that are refused, or wait for others.
extension DesiredStatesTests {
    @Test("a value that no bus takes is refused as it arrives, and the one before stays", arguments: [28, 29, 31])
    mutating func tooDeep(levels: Int) {
        _ = states.take(.desired(device, Self.name), counted(1, "day"))
        _ = settle(states.endCollection(isComplete: true))
        let text =
            #"{"a":"# + String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1) + "}"
        let effects = states.take(.desired(device, Self.name), Array(text.utf8))
        #expect(published(effects).isEmpty == (levels > PublishedValue.depthLimit))
        #expect(
            effects.contains { if case .ignored = $0 { true } else { false } } == (levels > PublishedValue.depthLimit))
    }

    @Test("a value that is too long for a call is refused as it arrives, also one for a group")
    mutating func tooLong() {
        for size in [PublishedValue.sizeLimit, PublishedValue.sizeLimit + 1] {
            let payload = Array(#"{"a":"\#(String(repeating: "x", count: size - 8))"}"#.utf8)
            #expect(payload.count == size)
            let effects = states.take(.groupDesired("all", "org.example.n\(size)"), payload)
            #expect(effects.isEmpty == (size == PublishedValue.sizeLimit))
        }
    }

    @Test("one value is published at a time, so that a call which ends the connection ends no other")
    mutating func oneByOne() {
        for name in ["a", "b", "c"] { _ = states.take(.desired(device, "org.example.\(name)"), counted(1, "x")) }
        func names(_ effects: [DesiredStates.Effect]) -> [String] {
            effects.compactMap { if case .publish(let name, _, _) = $0 { name } else { nil } }
        }
        #expect(names(states.endCollection(isComplete: true)) == ["org.example.a"])
        #expect(names(states.answered("org.example.a", at: nil)) == ["org.example.b"])
        #expect(names(states.answered("org.example.b", at: bus())) == ["org.example.c"])
        #expect(!states.isDone)
        #expect(names(states.answered("org.example.c", at: bus())).isEmpty)
        #expect(states.isDone)
        #expect(names(states.retry()) == ["org.example.a"])
    }

    @Test("a value that was set at the same time waits for a number of its own, and is published without one at last")
    mutating func sameNumber() {
        _ = states.take(.desired(device, Self.name), counted(1, "day"))
        _ = settle(states.endCollection(isComplete: true))
        for payload in [counted(1, "night"), counted(1, "dusk", instance: "t")] {
            #expect(published(states.take(.desired(device, Self.name), payload)).isEmpty)
        }
        #expect(targets(settle(states.take(.desired(device, Self.name), counted(3, "dusk")))) == [102])
        #expect(states.take(.desired(device, Self.name), counted(3, "dawn")) == [.retry(isSoon: false)])
        #expect(published(states.retry()) == [["mode": "dawn"]])
    }

    @Test("a fleet cannot set more names than there is room for")
    mutating func limit() {
        for number in 0..<DesiredStates.nameLimit {
            #expect(states.take(.desired(device, "org.example.n\(number)"), counted(1, "x")).isEmpty)
        }
        #expect(!states.take(.desired(device, "org.example.more"), counted(1, "x")).isEmpty)
    }
}
