// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Subscribers whose processes are frozen by the real freezer without calling the bus.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(if: TemporaryCgroup.canBeMade, "no cgroup v2 with a freezer can be made here"))
struct FrozenTests {
    private let outer: TemporaryCgroup
    private let inner: TemporaryCgroup
    private let running: TemporaryCgroup
    private let bus: BusProcess
    private let poster: RawClient

    init() throws {
        outer = try TemporaryCgroup()
        inner = try TemporaryCgroup(in: outer)
        running = try TemporaryCgroup()
        bus = try BusProcess()
        poster = try bus.client()
    }

    private func subscriber(_ parameters: String = #"{"aspects":["battery"]}"#) throws -> StreamProcess {
        let subscriber = try StreamProcess(bus, parameters)
        try inner.add(subscriber.process)
        return subscriber
    }

    private func post(_ levels: ClosedRange<Int>) throws {
        for level in levels { try poster.post(level: Double(level) / 100) }
    }

    /// Moves a subscriber to the running cgroup, freezes the inner one, and returns a process in it.
    ///
    /// Both cgroups have an additional process, so a move between them changes neither `cgroup.events`.
    @discardableResult
    private func frozenNeighbor(of subscriber: StreamProcess) throws -> StreamProcess {
        let others = try (0..<2).map { _ in try StreamProcess(bus, #"{"aspects":["locale"]}"#) }
        try running.add(others[0].process)
        try inner.add(others[1].process)
        try running.add(subscriber.process)
        try subscriber.waitUntilHeld([])
        try inner.freeze(true)
        try others[1].waitUntilHeld(["frozen"])
        return others[1]
    }

    /// Waits for a number of replies after the first, and returns the change counts of their events.
    private func changes(_ subscriber: StreamProcess, replies: Int = 1) throws -> [[Int]] {
        try wait(for: "\(replies) replies") { try subscriber.delivered.count >= replies }
        return try subscriber.delivered.map { $0.map { $0.integer("changes") } }
    }

    @Test(
        "B58: a frozen subscriber is held, and after the thaw receives one event for each aspect without a call",
        arguments: [false, true])
    func thawedSubscriberReceivesOneEventForEachAspect(isAncestor: Bool) throws {
        let frozen = isAncestor ? outer : inner
        let subscriber = try subscriber(#"{"aspects":["battery","proximity"]}"#)
        try frozen.freeze(true)
        try subscriber.waitUntilHeld(["frozen"])
        try post(1...3)
        try poster.call("Post", #"{"proximity":{"state":"near"}}"#)
        #expect(try subscriber.subscription()?["pending"]?.arrayValue?.count == 2)
        try frozen.freeze(false)
        #expect(try changes(subscriber) == [[3, 1]])
        #expect(try subscriber.delivered[0].map(\.aspect) == ["battery", "proximity"])
        #expect(try subscriber.delivered[0][0].level == 0.03)
        try subscriber.waitUntilHeld([])
    }

    @Test("B59: freezing and thawing in quick succession loses and repeats nothing")
    func quickFreezesLoseNothing() throws {
        let subscriber = try subscriber()
        for round in 1...50 {
            try inner.freeze(true)
            try post(round...round)
            try inner.freeze(false)
        }
        try wait(for: "every change") { try subscriber.changes == 50 }
        try subscriber.waitUntilHeld([])
        let events = try subscriber.delivered.joined()
        var generation = 0
        for event in events {
            generation += event.integer("changes")
            #expect(event.integer("generation") == generation)
        }
        #expect(try subscriber.delivered.last?.first?.level == 0.5)
    }

    @Test("a subscriber is followed when it moves into a frozen cgroup and out again")
    func movedSubscriberIsFollowed() throws {
        let subscriber = try subscriber()
        let neighbor = try frozenNeighbor(of: subscriber)
        try inner.add(subscriber.process)
        try subscriber.waitUntilHeld(["frozen"])
        try post(1...4)
        try running.add(subscriber.process)
        // No call and no change makes the bus check.
        #expect(try changes(subscriber) == [[4]])
        try neighbor.waitUntilHeld(["frozen"])
    }

    @Test("a subscriber that was moved into a frozen cgroup is checked before a delivery")
    func movedSubscriberIsCheckedBeforeADelivery() throws {
        let subscriber = try subscriber()
        try frozenNeighbor(of: subscriber)
        // An automatic wake after 1.1 seconds shows that the bus's last check has expired.
        let clock = try bus.subscribe(#"{"aspects":["proximity"]}"#)
        try inner.add(subscriber.process)
        try clock.setState("background", on: poster, more: #","wakeAfter":1100"#)
        try poster.call("Post", #"{"proximity":{"state":"near"}}"#)
        _ = try clock.next()
        try post(1...3)
        try running.add(subscriber.process)
        #expect(try changes(subscriber) == [[3]])
    }

    @Test("B60: a running process receives events immediately while another process of its user is frozen")
    func otherProcessReceivesEventsImmediately() throws {
        let frozen = try subscriber()
        let other = try StreamProcess(bus, #"{"aspects":["battery"]}"#)
        try inner.freeze(true)
        try frozen.waitUntilHeld(["frozen"])
        for level in 1...5 {
            try post(level...level)
            #expect(try changes(other, replies: level) == Array(repeating: [1], count: level))
        }
        #expect(try frozen.delivered.isEmpty)
        try inner.freeze(false)
        #expect(try changes(frozen) == [[5]])
    }

    @Test("sixteen subscribers of one cgroup share a watch, which ends with the last subscriber")
    func subscribersShareAWatch() throws {
        let subscribers = try (0..<16).map { _ in try self.subscriber() }
        try inner.freeze(true)
        for subscriber in subscribers { try subscriber.waitUntilHeld(["frozen"]) }
        let watched = { try bus.descriptors().filter { $0.hasSuffix("/cgroup.events") } }
        #expect(try watched() == [inner.path + "/cgroup.events"])
        for subscriber in subscribers { subscriber.process.signal(SIGKILL) }
        try wait(for: "every subscription to end") { try subscribers.allSatisfy { try $0.subscription() == nil } }
        for subscriber in subscribers { subscriber.process.wait() }
        #expect(try watched() == [])
        #expect(try !bus.descriptors().contains("anon_inode:[pidfd]"))
    }
}

/// A thaw is like any other wake: the sensors are sampled first.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(if: TemporaryCgroup.canBeMade, "no cgroup v2 with a freezer can be made here"))
struct FrozenPhoneTests {
    private let cgroup: TemporaryCgroup

    init() throws {
        cgroup = try TemporaryCgroup()
    }

    @Test("B78: a thaw takes a fresh sample before it delivers") func thawTakesAFreshSample() throws {
        let phone = try SyntheticPhone()
        let bus = try BusProcess(on: phone)
        let subscriber = try StreamProcess(bus, #"{"aspects":["battery","orientation"]}"#)
        try cgroup.add(subscriber.process)
        try cgroup.freeze(true)
        try subscriber.waitUntilHeld(["frozen"])
        // A uevent reports the level, but the pose must be sampled.
        try phone.battery.setLevel(0.4)
        try wait(for: "the level") { try subscriber.subscription()?["pending"]?.arrayValue?.count == 1 }
        try phone.rotate(to: .faceDown)
        try cgroup.freeze(false)
        try wait(for: "a reply") { try !subscriber.delivered.isEmpty }
        #expect(try subscriber.delivered[0].map(\.aspect) == ["battery", "orientation"])
        #expect(try subscriber.delivered[0].last?["orientation"]?.objectValue?["pose"] == "faceDown")
    }
}
