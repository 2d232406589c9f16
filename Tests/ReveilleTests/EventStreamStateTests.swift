// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing

@testable import Reveille

/// The decisions of a stream, without a connection.
@Suite struct EventStreamStateTests {
    /// Inputs, one after the other, and the actions of the last one.
    struct Course: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var request = SubscriptionRequest(aspects: [.battery])
        let inputs: [EventStreamState.Input]
        let actions: [EventStreamState.Action]
    }

    private static func event(_ generation: Int, changes: Int = 1) -> Event {
        .of(.battery(.unknown), generation, changes: changes)
    }

    private static func reply(_ events: Event..., resumed: Bool? = nil) -> EventStreamState.Input {
        .reply(
            SubscribeReply(subscription: "s", instance: "i", resumed: resumed, events: events),
            at: Timestamp(microseconds: 0))
    }

    private static func asked(_ generation: Int? = nil, inBackground: Bool = false) -> EventStreamState.Action {
        .subscribe(
            SubscriptionRequest(
                aspects: [.battery], startsInBackground: inBackground, wantsInitial: true,
                instance: generation.map { _ in "i" }, positions: generation.map { [.battery: $0] }))
    }

    private static let gone = ReveilleError(.noBus, "gone")
    private static let full = ReveilleError(.quotaExceeded, "full")
    private static let refused = ReveilleError(.invalidArgument, "refused")
    private static let garbage = ReveilleError(.invalidReply, "garbage")
    private static let state = event(3, changes: 0)
    private static let opened: [EventStreamState.Input] = [.open, reply(state)]
    private static let dropping = SubscriptionRequest(
        aspects: [.battery], policies: [.battery: Policy(background: .drop)])

    static let courses = [
        Course(testDescription: "a stream asks for the states too", inputs: [.open], actions: [asked()]),
        Course(testDescription: "an open stream is not opened again", inputs: opened + [.open], actions: []),
        Course(
            testDescription: "states are the start, not events", inputs: opened,
            actions: [.deliver(.start([state], instance: "i")), .started]),
        Course(
            testDescription: "states that were asked for are delivered",
            request: SubscriptionRequest(aspects: [.battery], wantsInitial: true), inputs: opened,
            actions: [.deliver(.start([], instance: "i")), .deliver(.answer([state])), .started]),
        Course(
            testDescription: "events since known positions are delivered",
            inputs: [.open, reply(event(4), resumed: true)],
            actions: [.deliver(.start([], instance: "i")), .deliver(.events([event(4)])), .started]),
        Course(
            testDescription: "a bus that does not know the positions restarts the sink",
            inputs: [.open, reply(state, resumed: false)],
            actions: [.deliver(.restart([state], instance: "i")), .started]),
        Course(
            testDescription: "events go to the sink", inputs: opened + [.events([event(4)])],
            actions: [.deliver(.events([event(4)]))]),
        Course(
            testDescription: "a bus that is gone before its first reply is a failure", inputs: [.open, .lost(gone)],
            actions: [.disconnect, .failed(gone)]),
        Course(
            testDescription: "a stream that failed is not opened again", inputs: [.open, .lost(gone), .open],
            actions: []),
        Course(
            testDescription: "a lost stream is opened again", inputs: opened + [.lost(gone)],
            actions: [.disconnect, .retry(gone)]),
        Course(
            testDescription: "what fails after a loss is not another loss",
            inputs: opened + [.lost(gone), .lost(gone)],
            actions: []),
        Course(
            testDescription: "a stream that is opened again asks for all states", inputs: opened + [.openAgain],
            actions: [.disconnect, asked(3)]),
        Course(
            testDescription: "a lost stream goes on from its last event",
            inputs: opened + [.events([event(4)]), .lost(gone), .open], actions: [asked(4)]),
        Course(
            testDescription: "a stream that is lost in the background comes back there",
            inputs: opened + [.background(true), .lost(gone), .open], actions: [asked(3, inBackground: true)]),
        Course(
            testDescription: "a stream that comes back delivers only changes",
            inputs: opened + [.lost(gone), .open, reply(state, resumed: true)], actions: [.started]),
        Course(
            testDescription: "a full bus is asked again", inputs: opened + [.lost(gone), .open, .refused(full)],
            actions: [.disconnect, .retry(full)]),
        Course(
            testDescription: "a refusal ends the stream", inputs: opened + [.lost(gone), .open, .refused(refused)],
            actions: [.disconnect, .deliver(.end(refused))]),
        Course(
            testDescription: "invalid bytes end the stream", inputs: opened + [.lost(garbage)],
            actions: [.disconnect, .deliver(.end(garbage))]),
        Course(
            testDescription: "a background reaches the sink", inputs: opened + [.background(true)],
            actions: [.deliver(.background(true))]),
        Course(
            testDescription: "a second background changes nothing",
            inputs: opened + [.background(true), .background(true)], actions: []),
        Course(
            testDescription: "the end of a background reaches the sink of an ended stream too",
            inputs: opened + [.background(true), .lost(garbage), .background(false)],
            actions: [.deliver(.background(false))]),
        Course(
            testDescription: "what was dropped counts as seen", request: dropping,
            inputs: opened + [
                .background(true), .backgroundBegan([state]), .backgroundEnded(.init(states: [event(9, changes: 0)])),
            ], actions: [.deliver(.skip([event(9, changes: 0)]))]),
        Course(
            testDescription: "a state older than the last event is not skipped", request: dropping,
            inputs: opened + [.events([event(9)]), .backgroundEnded(.init(states: [state]))], actions: []),
        Course(
            testDescription: "a bus that comes back in the background does not deliver what is dropped",
            request: dropping,
            inputs: opened + [
                .background(true), .backgroundBegan([state]), .lost(gone), .open, reply(event(9), resumed: true),
            ], actions: [.deliver(.skip([event(9)])), .started]),
        Course(
            testDescription: "a change that waited when the background began is delivered", request: dropping,
            inputs: opened + [
                .background(true), .backgroundBegan([event(4, changes: 0)]), .lost(gone), .open,
                reply(event(9), resumed: true),
            ], actions: [.deliver(.events([event(9)])), .started]),
        Course(
            testDescription: "a closed stream stays closed", inputs: opened + [.close, .open], actions: []),
    ]

    @Test(arguments: courses) func inputsLeadToActions(course: Course) {
        var state = EventStreamState(course.request)
        for input in course.inputs.dropLast() { _ = state.handle(input) }
        let last = course.inputs.suffix(1).flatMap { state.handle($0) }
        #expect(last == course.actions)
    }

    @Test(
        "a persistent stream waits for a bus that was never there, and tries again after every refusal",
        arguments: [.lost(gone), .lost(garbage), .refused(refused)] as [EventStreamState.Input])
    func persistence(loss: EventStreamState.Input) {
        var state = EventStreamState(SubscriptionRequest(), isPersistent: true)
        for _ in 0..<3 {
            _ = state.handle(.open)
            guard case .retry? = state.handle(loss).last else {
                Issue.record("the stream has ended")
                return
            }
        }
    }

    @Test("a stream with a plan asks what the bus has before each request, and continues from what it has seen")
    func plan() {
        var state = EventStreamState(
            SubscriptionRequest(instance: "i", positions: [.battery: 2, .proximity: 5]),
            plan: { SubscriptionRequest(aspects: AspectSet($0.map(\.aspect))) }, isPersistent: true)
        let described = EventStreamState.Input.described([
            AspectInfo(aspect: .battery, isAvailable: true, isWatched: false, source: "BAT0")
        ])
        #expect(state.handle(.open) == [.describe])
        #expect(state.handle(described) == [Self.asked(2)])
        _ = state.handle(Self.reply(Self.event(3), resumed: true))
        #expect(state.seen == Positions(instance: "i", generations: [.battery: 3]))
        _ = state.handle(.lost(Self.gone))
        #expect(state.handle(.open) == [.describe])
        #expect(state.handle(described) == [Self.asked(3)])
    }

    @Test func streamHasANameWhileItIsOpen() {
        var state = EventStreamState(SubscriptionRequest())
        var names: [String?] = []
        var areLost: [Bool] = []
        for input in [.open, Self.reply(), .lost(Self.gone), .open] as [EventStreamState.Input] {
            _ = state.handle(input)
            names.append(state.name)
            areLost.append(state.isLost)
        }
        #expect(names == [nil, "s", nil, nil])
        #expect(areLost == [false, false, true, false])
    }
}
