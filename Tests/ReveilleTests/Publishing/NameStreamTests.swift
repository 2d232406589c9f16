// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing
import Varlink

@testable import Reveille

/// The decisions of a stream of published names, without a connection.
@Suite struct NameStreamTests {
    private static let a: Aspect = "org.example.a"
    private static let b: Aspect = "org.example.b"
    private static let now = Timestamp(microseconds: 77)
    private static let gone = ReveilleError(.noBus, "gone")
    private static let pattern = SubscriptionRequest(aspects: ["org.example.*"])

    private static func reply(
        _ events: [Event], instance: String = "i", resumed: Bool? = nil
    ) -> EventStreamState.Input {
        .reply(SubscribeReply(subscription: "s", instance: instance, resumed: resumed, events: events), at: now)
    }

    private static func state(_ name: Aspect, _ value: JSONObject?, _ generation: Int) -> Event {
        .published(name, value, generation, changes: 0)
    }

    /// The withdrawal that a stream finds itself.
    private static func found(_ name: Aspect, _ generation: Int, sequence: Int, changes: Int) -> Event {
        Event(
            reading: .unknown(name), generation: generation, sequence: sequence, changeCount: changes,
            isNetChange: true,
            firstChangedAt: now, changedAt: now, droppedCount: 0)
    }

    /// Takes inputs one after the other, and returns the actions of the last one.
    private static func run(
        _ request: SubscriptionRequest = pattern, _ inputs: EventStreamState.Input...
    ) -> [EventStreamState.Action] {
        var state = EventStreamState(request)
        return inputs.reduce([]) { _, input in state.handle(input) }
    }

    /// Returns the positions that a stream sends after some inputs, the loss of its bus, and its opening.
    private static func positions(
        _ request: SubscriptionRequest = pattern, after inputs: EventStreamState.Input...
    ) -> [Aspect: Int]? {
        var state = EventStreamState(request)
        for input in inputs + [.lost(gone)] { _ = state.handle(input) }
        guard case .subscribe(let request)? = state.handle(.open).first else { return nil }
        return request.positions
    }

    @Test func positionOfANameEndsWithItsWithdrawal() {
        let states = [Self.state(Self.a, ["x": 1], 1), Self.state(Self.b, ["x": 1], 2)]
        #expect(Self.positions(after: .open, Self.reply(states)) == [Self.a: 1, Self.b: 2])
        #expect(
            Self.positions(after: .open, Self.reply(states), .events([.published(Self.a, nil, 3)])) == [Self.b: 2])
        // The subscription's own name keeps it, because the bus would not report its next value as a change.
        let own = SubscriptionRequest(aspects: ["org.example.a", "org.example.*"])
        #expect(
            Self.positions(own, after: .open, Self.reply(states), .events([.published(Self.a, nil, 3)]))
                == [Self.a: 3, Self.b: 2])
    }

    @Test func positionsOfNamesThatComeAndGoDoNotGrow() {
        var state = EventStreamState(Self.pattern)
        for input in [.open, Self.reply([])] as [EventStreamState.Input] { _ = state.handle(input) }
        for number in 1...10_000 {
            let name = Aspect(stringLiteral: "org.example.n\(number)")
            for event in [Event.published(name, ["x": 1], 2 * number), .published(name, nil, 2 * number + 1)] {
                _ = state.handle(.events([event]))
            }
        }
        #expect(state.namePositions.isEmpty)
    }

    @Test func newInstanceWithoutAKnownNameIsAWithdrawal() {
        let actions = Self.run(
            Self.pattern, .open,
            Self.reply([Self.state(Self.a, ["x": 1], 10), Self.state(Self.b, ["x": 1], 20)]), .lost(Self.gone),
            .open, Self.reply([Self.state(Self.b, ["x": 1], 2)], instance: "j", resumed: false))
        let withdrawal = Self.found(Self.a, 11, sequence: 2, changes: 0)
        #expect(
            actions == [
                .deliver(.restart([Self.state(Self.b, ["x": 1], 2), withdrawal], instance: "j")), .started,
            ])
    }

    @Test func forgottenNameThatIsStillNotPublishedIsNotAnEvent() {
        let own = SubscriptionRequest(aspects: AspectSet(Self.a))
        let opened: [EventStreamState.Input] = [
            .open, Self.reply([Self.state(Self.a, nil, 5)]), .lost(Self.gone), .open,
        ]
        var state = EventStreamState(own)
        for input in opened { _ = state.handle(input) }
        // The bus has forgotten the name, and counts an unknown change.
        let unknown = Event.published(Self.a, nil, 100)
        var known = unknown
        known.changeCount = 0
        #expect(
            state.handle(Self.reply([unknown], resumed: true)) == [.deliver(.skip([known])), .started])
        #expect(state.handle(.lost(Self.gone)).count == 2)
        // A value that the bus knows to have changed and changed back is an event.
        _ = state.handle(.open)
        var back = Event.published(Self.a, nil, 102, changes: 2)
        back.isNetChange = false
        #expect(state.handle(Self.reply([back], resumed: true)) == [.deliver(.events([back])), .started])
    }

    @Test func withdrawalWhileTheBusWasGoneIsAnEvent() {
        let actions = Self.run(
            SubscriptionRequest(aspects: AspectSet(Self.a)), .open, Self.reply([Self.state(Self.a, ["x": 1], 5)]),
            .lost(Self.gone), .open, Self.reply([.published(Self.a, nil, 100)], resumed: true))
        #expect(actions == [.deliver(.events([.published(Self.a, nil, 100)])), .started])
    }

    @Test func namesThatWereWithdrawnMeanwhileAreMissing() {
        var state = EventStreamState(Self.pattern)
        let states = [Self.state(Self.a, ["x": 1], 1), Self.state(Self.b, ["x": 1], 2)]
        for input in [.open, Self.reply(states), .lost(Self.gone), .open] as [EventStreamState.Input] {
            _ = state.handle(input)
        }
        func withdrawn(resumed: Bool) -> [Aspect] {
            state.withdrawn(
                before: SubscribeReply(subscription: "s", instance: "i", resumed: resumed, events: [states[1]]))
        }
        #expect(withdrawn(resumed: true) == [Self.a])
        // All states are new.
        #expect(withdrawn(resumed: false) == [])
    }

    // MARK: - Many names

    @Test func positionsBeyondTheRoomOfACallAreComparedHere() throws {
        let names = (0..<1_000).map { Aspect(stringLiteral: "org.example.number\(1_000 + $0)") }
        var state = EventStreamState(Self.pattern)
        let states = names.enumerated().map { Self.state($1, ["x": 1], $0 + 1) }
        for input in [.open, Self.reply(states), .lost(Self.gone)] as [EventStreamState.Input] {
            _ = state.handle(input)
        }
        guard case .subscribe(let request)? = state.handle(.open).first else { throw Unexpected() }
        let sent = try #require(request.positions)
        #expect(Call(Subscribe(request)).encodedSize < 20_000)
        #expect(sent.count > 100)
        // To the bus, the others are names that the stream has never seen.
        var events = names.enumerated().map { index, name in
            sent[name] == nil ? Event.published(name, ["x": 1], index + 1) : Self.state(name, ["x": 1], index + 1)
        }
        let last = events.count - 1
        events[last] = .published(names[last], ["x": 3], 1_002, changes: 9)
        events.remove(at: last - 1)
        #expect(
            state.handle(Self.reply(events, resumed: true)) == [
                .deliver(
                    .events([
                        .published(names[last], ["x": 3], 1_002, changes: 2),
                        Self.found(names[last - 1], 1_002, sequence: 1_002, changes: 1),
                    ])), .started,
            ])
    }

    @Test func positionsOfAnEarlierProcessAreLimitedTooAndWithoutOtherAspects() {
        var positions = Dictionary(
            uniqueKeysWithValues: (0..<1_000).map { (Aspect(stringLiteral: "org.example.n\($0)"), $0) })
        positions[.battery] = 7
        positions["com.example.other"] = 7
        var state = EventStreamState(
            SubscriptionRequest(aspects: [.proximity, "org.example.*"], instance: "i", positions: positions))
        guard case .subscribe(let request)? = state.handle(.open).first else { return }
        #expect(request.instance == "i")
        #expect((request.positions?.count).map { 100..<900 ~= $0 } == true)
        #expect(request.positions?[.battery] == nil)
        #expect(request.positions?["com.example.other"] == nil)
    }

    @Test func longestSubscriptionLeavesRoomForItsPositions() throws {
        let literal = (0..<63).map {
            Aspect(stringLiteral: "org.literal.\(100 + $0)" + String(repeating: "x", count: 240))
        }
        let aspects = AspectSet(literal + ["org.example.*"])
        let matched = (0..<1_000).map { Aspect(stringLiteral: "org.example.n\($0)") }
        let policy = Policy(background: .hold(limit: .max), netChangeOnly: true, interval: .seconds(31_536_000))
        let request = SubscriptionRequest(
            aspects: aspects, name: String(repeating: "x", count: 128), instance: "i",
            positions: Dictionary(uniqueKeysWithValues: (literal + matched).map { ($0, .max) }),
            policies: Dictionary(uniqueKeysWithValues: aspects.aspects.map { ($0, policy) }))
        var state = EventStreamState(request)
        guard case .subscribe(let call)? = state.handle(.open).first else { throw Unexpected() }
        #expect(Call(Subscribe(call)).encodedSize <= 65_536)
        #expect(Set(literal).isSubset(of: call.positions?.keys ?? [:].keys))
    }

    private struct Unexpected: Error {}
}

extension Call {
    fileprivate var encodedSize: Int { encoded().count }
}
