// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

@testable import Reveille

/// Events of published names that wait for their consumer.
@Suite struct NameInboxTests {
    private static let a: Aspect = "org.example.a"
    private static let b: Aspect = "org.example.b"
    private static let pattern = SubscriptionRequest(aspects: ["org.example.*"])

    private static func state(_ name: Aspect, _ value: JSONObject?, _ generation: Int) -> Event {
        .published(name, value, generation, changes: 0)
    }

    private static func takeAll(_ inbox: inout Inbox) -> [Event] {
        var events: [Event] = []
        while let event = inbox.take() { events.append(event) }
        return events
    }

    @Test func nameThatCameAndWentIsForgotten() {
        var inbox = Inbox(Self.pattern)
        inbox.receive(.start([], instance: "i"))
        for generation in 1...1_000 {
            let name = Aspect(stringLiteral: "org.example.n\(generation)")
            inbox.receive(.events([.published(name, ["x": 1], 2 * generation)]))
            if generation % 2 == 0 { #expect(inbox.take()?.isNetChange == true) }
            inbox.receive(.events([.published(name, nil, 2 * generation + 1)]))
            // Merged with the value, it is as if it had never been published.
            #expect(inbox.take()?.isNetChange == (generation % 2 == 0))
        }
        #expect(inbox.positions == Positions(instance: "i", generations: [:]))
        #expect(inbox.seen.isEmpty)
    }

    @Test("B126: while a withdrawal on a new instance waits, the stored positions are the earlier instance's")
    func storedPositionsStillHaveTheName() {
        var inbox = Inbox(Self.pattern)
        inbox.receive(.start([Self.state(Self.a, ["x": 1], 1), Self.state(Self.b, ["x": 1], 2)], instance: "i"))
        let before = inbox.positions
        inbox.receive(.background(true))
        for instance in ["j", "k"] {
            inbox.receive(.restart([Self.state(Self.a, nil, 1), Self.state(Self.b, ["x": 2], 1)], instance: instance))
            #expect(inbox.positions == before)
        }
        inbox.receive(.background(false))
        #expect(Self.takeAll(&inbox).map(\.aspect) == [Self.a, Self.b])
        #expect(inbox.positions == Positions(instance: "k", generations: [Self.b: 1]))
    }

    @Test func newInstanceDeliversWithdrawalsOfKnownNamesOnly() {
        var inbox = Inbox(
            SubscriptionRequest(
                aspects: [Self.a, "org.example.*"], instance: "i", positions: ["org.example.earlier": 3]))
        inbox.receive(.start([Self.state(Self.a, nil, 1), Self.state(Self.b, ["x": 1], 2)], instance: "i"))
        let states = [
            Self.state(Self.a, nil, 1), Self.state(Self.b, nil, 1), Self.state("org.example.earlier", nil, 1),
        ]
        inbox.receive(.restart(states, instance: "j"))
        #expect(Self.takeAll(&inbox).map(\.aspect) == [Self.b, "org.example.earlier"])
        #expect(inbox.positions == Positions(instance: "j", generations: [:]))
    }

    @Test func positionsOfEventsThatWaitAreThoseFromWhichTheSubscriptionResumed() {
        var inbox = Inbox(
            SubscriptionRequest(
                aspects: [.battery, .proximity, "org.example.*"], instance: "i",
                positions: [.battery: 5, .proximity: 3, .orientation: 9, Self.a: 4]))
        inbox.receive(.start([.of(.proximity(.near), 3, changes: 0)], instance: "i"))
        inbox.receive(.events([.battery(0.5, 7), .published(Self.a, ["x": 1], 8)]))
        // A program that stores its positions now, and ends, must get both events again.
        #expect(inbox.positions?.generations == [.battery: 5, .proximity: 3, Self.a: 4])
        _ = inbox.take()
        #expect(inbox.positions?.generations == [.battery: 7, .proximity: 3, Self.a: 4])
    }

    @Test(arguments: 0..<50) func inboxMergesAsASimpleListDoes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let request = SubscriptionRequest(
            aspects: [Self.a, "org.example.*"],
            policies: [
                "org.example.*": Policy(netChangeOnly: seed % 2 == 0), Self.b: Policy(background: .hold(limit: 2)),
                "org.example.c": Policy(background: .immediate),
            ])
        let names: [Aspect] = [Self.a, Self.b, "org.example.c", "org.example.d"]
        var inbox = Inbox(request)
        var list = ListInbox(request)
        for generation in 1...400 {
            let output: StreamOutput
            switch Int.random(in: 0..<20, using: &random) {
            case 0: output = .background(Bool.random(using: &random))
            case 1...12:
                output = .events(
                    (0..<Int.random(in: 1...4, using: &random)).map { index in
                        let name = names[Int.random(in: 0..<names.count, using: &random)]
                        let value: JSONObject? = [nil, ["x": 1], ["x": 2]][Int.random(in: 0..<3, using: &random)]
                        return .published(name, value, 8 * generation + index)
                    })
            default:
                #expect(inbox.take() == list.take(), "seed \(seed), step \(generation)")
                continue
            }
            inbox.receive(output)
            list.receive(output)
        }
        inbox.receive(.background(false))
        list.receive(.background(false))
        #expect(Self.takeAll(&inbox) == list.takeAll(), "seed \(seed)")
    }
}

/// An inbox that searches a list, for comparison; it knows background and events only.
private struct ListInbox {
    private let policies: PolicyTable
    private var waiting: [(event: Event, isApart: Bool)] = []
    private var seen: [Aspect: Reading] = [:]
    private var isParked = false

    init(_ request: SubscriptionRequest) {
        policies = PolicyTable(request.policies, of: request.aspects)
    }

    mutating func receive(_ output: StreamOutput) {
        if case .background(let isParked) = output { self.isParked = isParked }
        guard case .events(let events) = output else { return }
        for event in events {
            let isRepeated = events.count { $0.aspect == event.aspect } > 1
            if isRepeated, case .hold(let limit) = policies[event.aspect].background {
                waiting.append((event, true))
                let apart = waiting.indices.filter { waiting[$0].isApart && waiting[$0].event.aspect == event.aspect }
                guard apart.count > limit else { continue }
                let lost = waiting[apart[0]].event
                waiting[apart[1]].event.droppedCount += lost.droppedCount + lost.changeCount
                waiting.remove(at: apart[0])
            } else if let index = waiting.firstIndex(where: { $0.event.aspect == event.aspect && !$0.isApart }) {
                let earlier = waiting.remove(at: index).event
                let last = seen[event.aspect] ?? .unknown(event.aspect)
                waiting.append((earlier.merged(with: event, lastSeen: last), false))
            } else {
                waiting.append((event, false))
            }
        }
    }

    mutating func take() -> Event? {
        let next = waiting.firstIndex { waiting in
            let policy = policies[waiting.event.aspect]
            return (!isParked || policy.background == .immediate)
                && (waiting.event.isNetChange || !policy.netChangeOnly)
        }
        guard let next else { return nil }
        let event = waiting.remove(at: next).event
        seen[event.aspect] = event.reading
        return event
    }

    mutating func takeAll() -> [Event] {
        var events: [Event] = []
        while let event = take() { events.append(event) }
        return events
    }
}
