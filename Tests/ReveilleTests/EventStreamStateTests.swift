// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleWire
import Testing

@testable import Reveille

/// The decisions of a stream, without a connection.
@Suite struct EventStreamStateTests {
    /// Inputs, one after the other, and the actions of the last one.
    struct Course: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var request = SubscriptionRequest(aspects: .battery)
        let inputs: [EventStreamState.Input]
        /// When the last input comes; those before it come at 0.
        var end: Int64 = 0
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
                aspects: .battery, startsInBackground: inBackground, wantsInitial: true,
                instance: generation.map { _ in "i" }, positions: generation.map { [.battery: $0] }))
    }

    private static let gone = ReveilleError(.noBus, "gone")
    private static let full = ReveilleError(.quotaExceeded, "full")
    private static let refused = ReveilleError(.invalidArgument, "refused")
    private static let garbage = ReveilleError(.invalidReply, "garbage")
    private static let state = event(3, changes: 0)
    private static let opened: [EventStreamState.Input] = [.open, reply(state)]
    private static let steady = Int64(Patience().steady / .microseconds(1))
    private static let dropping = SubscriptionRequest(
        aspects: .battery, policies: [.battery: Policy(background: .drop)])

    static let courses = [
        Course(testDescription: "a stream asks for the states too", inputs: [.open], actions: [asked()]),
        Course(testDescription: "an open stream is not opened again", inputs: opened + [.open], actions: []),
        Course(
            testDescription: "states are the start, not events", inputs: opened,
            actions: [.deliver(.start([state], instance: "i")), .started]),
        Course(
            testDescription: "states that were asked for are delivered",
            request: SubscriptionRequest(aspects: .battery, wantsInitial: true), inputs: opened,
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
            testDescription: "a short connection without events was not good", inputs: opened + [.lost(gone)],
            end: steady - 1, actions: [.disconnect, .reportLoss(wasGood: false)]),
        Course(
            testDescription: "a long connection was good", inputs: opened + [.lost(gone)], end: steady,
            actions: [.disconnect, .reportLoss(wasGood: true)]),
        Course(
            testDescription: "a connection that brought events was good",
            inputs: opened + [.events([event(4)]), .lost(gone)], actions: [.disconnect, .reportLoss(wasGood: true)]),
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
            actions: [.disconnect, .reportLoss(wasGood: false)]),
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
        var state = EventStreamState(course.request, patience: Patience())
        for input in course.inputs.dropLast() { _ = state.handle(input, at: 0) }
        let last = course.inputs.suffix(1).flatMap { state.handle($0, at: course.end) }
        #expect(last == course.actions)
    }

    @Test func streamHasANameWhileItIsOpen() {
        var state = EventStreamState(SubscriptionRequest(), patience: Patience())
        var names: [String?] = []
        var areLost: [Bool] = []
        for input in [.open, Self.reply(), .lost(Self.gone), .open] as [EventStreamState.Input] {
            _ = state.handle(input, at: 0)
            names.append(state.name)
            areLost.append(state.isLost)
        }
        #expect(names == [nil, "s", nil, nil])
        #expect(areLost == [false, false, true, false])
    }
}
