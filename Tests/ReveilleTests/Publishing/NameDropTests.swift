// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing
import Varlink

@testable import Reveille

/// The policy `drop` of patterns, without a connection.
@Suite struct NameDropTests {
    private static let kept: Aspect = "org.example.kept"
    private static let name: Aspect = "org.example.name"
    private static let request = SubscriptionRequest(
        aspects: ["org.example.*"],
        policies: ["org.example.*": Policy(background: .drop), kept: Policy(background: .hold(limit: 2))])

    private var state = EventStreamState(request)

    private static func states(_ generations: [Aspect: Int]) -> [Event] {
        generations.sorted { $0.value < $1.value }.map { .published($0.key, ["x": 1], $0.value, changes: 0) }
    }

    private mutating func handle(_ input: EventStreamState.Input) -> [EventStreamState.Action] {
        state.handle(input)
    }

    private mutating func reply(_ events: [Event], resumed: Bool? = nil) -> [EventStreamState.Action] {
        let reply = SubscribeReply(subscription: "s", instance: "i", resumed: resumed, events: events)
        return handle(.reply(reply, at: Timestamp(microseconds: 0)))
    }

    /// Opens the stream with two names, and sends it to the background while changes wait.
    private mutating func fallAsleep(with waiting: [Event] = []) {
        _ = handle(.open)
        _ = reply(Self.states([Self.kept: 1, Self.name: 2]))
        _ = handle(.background(true))
        _ = handle(.backgroundBegan(Self.states([Self.kept: 1, Self.name: 2]) + waiting))
    }

    @Test mutating func patternAndItsNamesAreDropped() {
        #expect(state.droppable == ["org.example.*"])
        #expect(state.dropping == [])
        fallAsleep()
        #expect(state.dropping == ["org.example.*"])
    }

    @Test mutating func statesOfDroppedNamesAreSkippedAtTheWake() {
        fallAsleep()
        let states = Self.states([Self.kept: 4, Self.name: 5, "org.example.new": 6])
        #expect(
            handle(.backgroundEnded(.init(states: states, names: state.namePositions)))
                == [.deliver(.skip(states.filter { $0.aspect != Self.kept }))])
        #expect(state.namePositions == [Self.kept: 1, Self.name: 5, "org.example.new": 6])
    }

    @Test mutating func droppedWithdrawalIsSkippedAtTheWake() {
        fallAsleep()
        let states = Self.states([Self.kept: 1])
        guard
            case .deliver(.skip(let skipped))? = handle(
                .backgroundEnded(.init(states: states, names: state.namePositions))
            ).first
        else {
            Issue.record("nothing is skipped")
            return
        }
        #expect(skipped.map(\.reading) == [.unknown(Self.name)])
        #expect(state.namePositions == [Self.kept: 1])
    }

    @Test mutating func nameThatIsPublishedAgainDuringTheWakeIsNotSkipped() {
        fallAsleep()
        let names = state.namePositions
        _ = handle(.events([.published(Self.name, ["x": 2], 9)]))
        #expect(handle(.backgroundEnded(.init(states: Self.states([Self.kept: 1]), names: names))) == [])
        #expect(state.namePositions[Self.name] == 9)
    }

    @Test mutating func changeThatWaitedWhenTheBackgroundBeganIsDelivered() {
        let new: Aspect = "org.example.new"
        fallAsleep(with: Self.states([new: 3]))
        _ = handle(.lost(ReveilleError(.noBus, "gone")))
        _ = handle(.open)
        let events = [
            Event.published(Self.name, ["x": 2], 5), .published(new, ["x": 2], 6), .published(Self.kept, ["x": 2], 7),
        ]
        #expect(
            reply(events, resumed: true)
                == [.deliver(.events([events[1], events[2]])), .deliver(.skip([events[0]])), .started])
    }

    @Test mutating func withdrawalThatWaitedWhenTheBackgroundBeganIsDelivered() {
        _ = handle(.open)
        _ = reply(Self.states([Self.name: 2]))
        _ = handle(.background(true))
        _ = handle(.backgroundBegan([]))
        _ = handle(.lost(ReveilleError(.noBus, "gone")))
        _ = handle(.open)
        let withdrawal = Event.published(Self.name, nil, 5)
        #expect(reply([withdrawal], resumed: true) == [.deliver(.events([withdrawal])), .started])
    }
}
