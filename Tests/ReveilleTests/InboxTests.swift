// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@testable import Reveille

@Suite(.timeLimit(.minutes(10))) struct InboxTests {
    private static func event(_ proximity: Proximity, _ generation: Int, changes: Int = 1) -> Event {
        .of(.proximity(proximity), generation, changes: changes)
    }

    private static func settings(_ keys: [String], _ generation: Int) -> Event {
        let domain = Defaults.Domain(
            name: "a", path: "/a", values: Dictionary(uniqueKeysWithValues: keys.map { ($0, 0) }), isOpaque: false)
        return .of(.defaults(Defaults(domains: [domain])), generation)
    }

    @Test func twoRepliesAreMergedIntoOneEvent() {
        var inbox = Inbox()
        inbox.receive(.start([Self.event(.far, 1, changes: 0)], instance: "i"))
        inbox.receive(.events([Self.event(.near, 2)]))
        inbox.receive(.events([Self.event(.far, 5, changes: 3)]))
        let event = inbox.take()
        #expect(event?.changeCount == 4)
        #expect(event?.isNetChange == false)
        #expect(event?.firstChangedAt == Timestamp(microseconds: 2))
        #expect(event?.changedAt == Timestamp(microseconds: 5))
        #expect(inbox.take() == nil)
        #expect(inbox.positions == Positions(instance: "i", generations: [.proximity: 5]))
    }

    @Test func keysOfMergedSettingsAreCombined() {
        var inbox = Inbox()
        inbox.receive(.events([Self.settings(["x"], 1)]))
        inbox.receive(.events([Self.settings(["y"], 2)]))
        guard case .defaults(let defaults) = inbox.take()?.reading else {
            Issue.record("no settings")
            return
        }
        #expect(defaults.domains.first?.keys == ["x", "y"])
    }

    @Test func newInstanceCausesEventsOnlyForDifferentStates() {
        var inbox = Inbox()
        inbox.receive(.start([Self.event(.near, 7, changes: 0)], instance: "i"))
        inbox.receive(.restart([Self.event(.near, 1, changes: 0)], instance: "j"))
        #expect(!inbox.hasNext)
        #expect(inbox.positions == Positions(instance: "j", generations: [.proximity: 1]))
        inbox.receive(.restart([Self.event(.far, 1, changes: 0)], instance: "k"))
        #expect(inbox.take()?.reading == .proximity(.far))
    }

    @Test func onlyAnswersAndImmediateEventsAreTakenInTheBackground() {
        var inbox = Inbox(SubscriptionRequest(policies: [.battery: Policy(background: .immediate)]))
        inbox.receive(.start([], instance: "i"))
        inbox.receive(.answer([Self.event(.near, 1, changes: 0)]))
        inbox.receive(.events([Self.settings(["x"], 1), .battery(0.5, 2)]))
        inbox.receive(.background(true))
        #expect(inbox.take()?.aspect == .proximity)
        #expect(inbox.take()?.aspect == .battery)
        #expect(inbox.take() == nil)
        inbox.receive(.background(false))
        #expect(inbox.take()?.aspect == .defaults)
    }

    @Test func droppedChangesAdvanceThePositions() {
        var inbox = Inbox(SubscriptionRequest(policies: [.proximity: Policy(background: .drop)]))
        inbox.receive(.start([Self.event(.near, 1, changes: 0)], instance: "i"))
        inbox.receive(.skip([Self.event(.far, 4, changes: 0)]))
        #expect(inbox.take() == nil)
        #expect(inbox.positions?.generations == [.proximity: 4])
        // An event that was due before is delivered with the current state.
        inbox.receive(.events([Self.event(.near, 5)]))
        inbox.receive(.skip([Self.event(.far, 8, changes: 0)]))
        let event = inbox.take()
        #expect(event?.changeCount == 1)
        #expect(event?.generation == 8)
        #expect(event?.isNetChange == false)
    }

    @Test(arguments: [Int.min, -1, 0, 1])
    func extremeLimitsAndCountsAreHandled(_ limit: Int) {
        var inbox = Inbox(SubscriptionRequest(policies: [.proximity: Policy(background: .hold(limit: limit))]))
        for _ in 0..<3 {
            inbox.receive(.events([Self.event(.near, .max, changes: .max), Self.event(.far, .max, changes: .max)]))
        }
        #expect(inbox.take()?.droppedCount == .max)
    }

    @Test func eventsOfAnAspectInOneReplyAreMerged() {
        var inbox = Inbox()
        inbox.receive(.events((1...1_000).map { Self.event(.near, $0) }))
        #expect(inbox.take()?.changeCount == 1_000)
        #expect(!inbox.hasNext)
    }

    @Test func heldChangesAreLimited() {
        var inbox = Inbox(SubscriptionRequest(policies: [.proximity: Policy(background: .hold(limit: 2))]))
        for round in 0..<10 {
            inbox.receive(.events([Self.event(.near, 2 * round + 1), Self.event(.far, 2 * round + 2)]))
        }
        let events = [inbox.take(), inbox.take()]
        #expect(events.map { $0?.generation } == [19, 20])
        #expect(events.reduce(0) { $0 + ($1?.droppedCount ?? 0) } == 18)
        #expect(!inbox.hasNext)
    }
}
