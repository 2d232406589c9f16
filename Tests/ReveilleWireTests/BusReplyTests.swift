// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing
import Varlink

/// What one side encodes, the other decodes.
@Suite struct BusReplyTests {
    private static let events = EventCodingTests.readings.enumerated().map {
        EventCodingTests.event($1, generation: $0)
    }

    private static let calls: [any BusMethod] =
        [
            Subscribe(SubscriptionRequest()),
            Subscribe(
                SubscriptionRequest(
                    aspects: [.battery, .locale, .orientation, .lifecycle], name: "bar", startsInBackground: true,
                    wantsInitial: true,
                    instance: "i", positions: [.battery: 4, .locale: 0],
                    policies: [
                        .battery: Policy(background: .hold(limit: 3)), .locale: Policy(netChangeOnly: true),
                        .proximity: Policy(background: .drop), .orientation: Policy(background: .immediate),
                        .lifecycle: Policy(background: .end),
                    ])),
            SetState(subscription: "x", to: .background),
            SetState(subscription: "x", to: .background, wakeAfter: .milliseconds(1500)),
            SetState(subscription: "x", to: .foreground), SetState(subscription: "x", to: .inactive),
            SetState(subscription: "x", to: .suspended, wakeAfter: .seconds(1)), GetState([.battery]),
            GetHistory(.battery), GetHistory("org.example.a", limit: .max), ListSubscriptions(), DescribeAspects(),
            GetLog(), Refresh(), BeginTask("upload", of: "x"), CancelEntry("x"), CancelEntry(nil), ListEntries(),
        ] + EventCodingTests.postable.map { Post($0) }

    @Test func serviceUnderstandsTheCallsOfAClient() throws {
        func check<Method: BusMethod>(_ method: Method) throws {
            let call = try Call(parsing: Array(Call(method).encoded().dropLast()))
            #expect(try Method.resolving(call) == method)
        }
        for method in Self.calls { try check(method) }
    }

    @Test func holdIsNotShorterThanAsked() throws {
        let call = Call(SetState(subscription: "x", to: .background, wakeAfter: .microseconds(1_001)))
        #expect(call.parameters["wakeAfter"] == 2)
    }

    @Test func clientUnderstandsTheRepliesOfAService() throws {
        func check<Reply: BusReply>(_ reply: Reply) throws {
            let received = try JSON.parse(JSON.object(reply.parameters).bytes).objectValue ?? [:]
            #expect(try Reply(received, noting: UnknownWords()) == reply)
        }
        try check(SubscribeReply(subscription: "a", instance: "b", resumed: false, events: Self.events))
        try check(SubscribeReply(subscription: "a", instance: "b", resumed: nil, events: []))
        try check(Self.events)
        try check(EventsReply(instance: "b", events: Self.events))
        try check([
            SubscriptionInfo(
                id: "a", name: nil, processID: 1, userID: 2, aspects: [.battery, .locale], holds: [.app, .unread],
                pending: [.battery: 3], eventCount: 4, changeCount: 5,
                tasks: [
                    SubscriptionInfo.Task(name: "a", remaining: nil),
                    SubscriptionInfo.Task(name: "b", remaining: .seconds(3)),
                ])
        ])
        try check(TaskState())
        try check(TaskState(remaining: .milliseconds(4_999), isExpiring: true))
        try check(TaskState(remaining: .zero, hasEnded: true))
        try check([
            AspectInfo(aspect: .battery, isAvailable: true, isWatched: true, source: "BAT0"),
            AspectInfo(aspect: .proximity, isAvailable: false, isWatched: false, source: "no sensor"),
        ])
        try check(Revision(generation: 6, sequence: 7))
        try check(
            Self.events.map { LogLine.change($0) } + [
                .watching(nil, true, since: Timestamp(microseconds: -1)),
                .watching(.battery, false, since: Timestamp(microseconds: .max)),
            ])
        try check(EmptyReply())
    }

    @Test func writerWritesTheParametersOfAReply() throws {
        var writer = EventWriter()
        for resumed in [nil, true, false] {
            let start = SubscribeReply(subscription: "a", instance: "b\"", resumed: resumed, events: Self.events)
            #expect(writer.write(start.events, after: start.head) == JSON.object(start.parameters).bytes)
        }
        #expect(writer.write(Self.events) == JSON.object(Self.events.parameters).bytes)
    }
}
