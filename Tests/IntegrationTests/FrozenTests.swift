// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore
import ReveilleTesting
import Testing
import Varlink

/// Subscribers whose processes are frozen by the real freezer, and never say so themselves.
@Suite(
    .timeLimit(.minutes(10)), .enabled(if: TemporaryCgroup.canBeMade, "no cgroup v2 with a freezer can be made here"))
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

    /// A subscriber in the inner cgroup.
    private func subscriber(_ parameters: String = #"{"aspects":["battery"]}"#) throws -> StreamProcess {
        let subscriber = try StreamProcess(bus, parameters)
        try inner.add(subscriber.process)
        return subscriber
    }

    private func post(_ levels: ClosedRange<Int>) throws {
        for level in levels { try poster.post(level: Double(level) / 100) }
    }

    /// Moves a subscriber to where processes run, and freezes those in the inner cgroup, of which one is returned.
    ///
    /// Both cgroups have a process more, so that neither tells of one that comes or leaves.
    @discardableResult
    private func frozenNeighbours(of subscriber: StreamProcess) throws -> StreamProcess {
        let others = try (0..<2).map { _ in try StreamProcess(bus, #"{"aspects":["locale"]}"#) }
        try running.add(others[0].process)
        try inner.add(others[1].process)
        try running.add(subscriber.process)
        try subscriber.waitUntilHeld([])
        try inner.freeze(true)
        try others[1].waitUntilHeld(["frozen"])
        return others[1]
    }

    /// Waits for so many replies after the first, and says what changes their events stand for.
    private func changes(_ subscriber: StreamProcess, replies: Int = 1) throws -> [[Int]] {
        try wait(for: "\(replies) replies") { try subscriber.told.count >= replies }
        return try subscriber.told.map { $0.map { $0.integer("changes") } }
    }

    @Test(
        "B58: who is frozen is held; thawed it is told once of each aspect, without a call", arguments: [false, true])
    func thawedSubscriberIsToldOnce(isFurtherUp: Bool) throws {
        let frozen = isFurtherUp ? outer : inner
        let subscriber = try subscriber(#"{"aspects":["battery","proximity"]}"#)
        try frozen.freeze(true)
        try subscriber.waitUntilHeld(["frozen"])
        try post(1...3)
        try poster.call("Post", #"{"proximity":{"state":"near"}}"#)
        #expect(try subscriber.subscription()?["pending"]?.arrayValue?.count == 2)
        try frozen.freeze(false)
        #expect(try changes(subscriber) == [[3, 1]])
        #expect(try subscriber.told[0].map(\.aspect) == ["battery", "proximity"])
        #expect(try subscriber.told[0][0].level == 0.03)
        try subscriber.waitUntilHeld([])
    }

    @Test("B59: freezing and thawing in quick succession loses nothing and doubles nothing")
    func quickFreezesLoseNothing() throws {
        let subscriber = try subscriber()
        for round in 1...50 {
            try inner.freeze(true)
            try post(round...round)
            try inner.freeze(false)
        }
        try wait(for: "every change") { try subscriber.changes == 50 }
        try subscriber.waitUntilHeld([])
        let events = try subscriber.told.joined()
        var generation = 0
        for event in events {
            generation += event.integer("changes")
            #expect(event.integer("generation") == generation)
        }
        #expect(try subscriber.told.last?.first?.level == 0.5)
    }

    @Test("a subscriber that is moved is followed, into a frozen cgroup and out of it again")
    func movedSubscriberIsFollowed() throws {
        let subscriber = try subscriber()
        let neighbour = try frozenNeighbours(of: subscriber)
        try inner.add(subscriber.process)
        try subscriber.waitUntilHeld(["frozen"])
        try post(1...4)
        try running.add(subscriber.process)
        // Nobody asks the bus for anything any more, and nothing changes.
        #expect(try changes(subscriber) == [[4]])
        try neighbour.waitUntilHeld(["frozen"])
    }

    @Test("who was moved among the frozen is not sent a reply first")
    func movedSubscriberIsLookedAtBeforeADelivery() throws {
        let subscriber = try subscriber()
        try frozenNeighbours(of: subscriber)
        // A wake that the bus brings about by itself tells that it has not looked for longer than it trusts a look.
        let clock = try bus.subscribe(#"{"aspects":["proximity"]}"#)
        try inner.add(subscriber.process)
        try clock.setState("background", on: poster, more: #","wakeAfter":1100"#)
        try poster.call("Post", #"{"proximity":{"state":"near"}}"#)
        _ = try clock.next()
        try post(1...3)
        try running.add(subscriber.process)
        #expect(try changes(subscriber) == [[3]])
    }

    @Test("B60: of two processes of one user, the one that is not frozen is told at once")
    func otherProcessIsToldAtOnce() throws {
        let frozen = try subscriber()
        let other = try StreamProcess(bus, #"{"aspects":["battery"]}"#)
        try inner.freeze(true)
        try frozen.waitUntilHeld(["frozen"])
        for level in 1...5 {
            try post(level...level)
            #expect(try changes(other, replies: level) == Array(repeating: [1], count: level))
        }
        #expect(try frozen.told.isEmpty)
        try inner.freeze(false)
        #expect(try changes(frozen) == [[5]])
    }

    @Test("frozen is a background to policies: what changes meanwhile is dropped, or kept change by change")
    func policiesActOnFrozen() throws {
        let drop = try subscriber(#"{"aspects":["battery"],"policies":[{"aspect":"battery","background":"drop"}]}"#)
        let hold = try subscriber(
            #"{"aspects":["battery"],"policies":[{"aspect":"battery","background":"hold","limit":2}]}"#)
        try inner.freeze(true)
        try drop.waitUntilHeld(["frozen"])
        try hold.waitUntilHeld(["frozen"])
        try post(1...3)
        try inner.freeze(false)
        try drop.waitUntilHeld([])
        #expect(try changes(hold) == [[1, 1]])
        #expect(try hold.told[0].map { $0.integer("dropped") } == [1, 0])
        try post(4...4)
        #expect(try changes(drop) == [[1]])
        #expect(try drop.told[0].first?.level == 0.04)
    }

    @Test("frozen and app clear apart") func frozenAndAppClearApart() throws {
        let subscriber = try subscriber(#"{"aspects":["battery"],"state":"background"}"#)
        try inner.freeze(true)
        try subscriber.waitUntilHeld(["app", "frozen"])
        try post(1...2)
        try inner.freeze(false)
        try subscriber.waitUntilHeld(["app"])
        #expect(try subscriber.told.isEmpty)
    }

    @Test("sixty-four subscribers of one cgroup share a watch, which goes with the last of them")
    func subscribersShareAWatch() throws {
        let subscribers = try (0..<64).map { _ in try self.subscriber() }
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

/// A thaw is a wake like others: a look at the sensors comes first.
@Suite(
    .timeLimit(.minutes(10)), .enabled(if: TemporaryCgroup.canBeMade, "no cgroup v2 with a freezer can be made here"))
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
        // The bus is told of the level; for the pose it would have to look.
        phone.battery.level = 0.4
        try wait(for: "the level") { try subscriber.subscription()?["pending"]?.arrayValue?.count == 1 }
        try phone.rotate(to: .faceDown)
        try cgroup.freeze(false)
        try wait(for: "a reply") { try !subscriber.told.isEmpty }
        #expect(try subscriber.told[0].map(\.aspect) == ["battery", "orientation"])
        #expect(try subscriber.told[0].last?["orientation"]?.objectValue?["pose"] == "faceDown")
    }

    @Test("who is frozen again while a thaw takes its sample stays held") func thawThatIsTakenBack() throws {
        let phone = try SyntheticPhone()
        let bus = try BusProcess(on: phone)
        let control = try bus.client()
        let subscriber = try StreamProcess(bus, #"{"aspects":["orientation"]}"#)
        try cgroup.add(subscriber.process)
        try cgroup.freeze(true)
        for round in 0..<300 {
            try subscriber.waitUntilHeld(["frozen"], on: control)
            try cgroup.freeze(false)
            // Some find the bus before the sample, some while it is taken, some after it.
            for _ in 0..<round % 6 { try control.call("org.varlink.service.GetInfo") }
            try cgroup.freeze(true)
            // The bus looks now; and then the sample is over, whatever it was taken for.
            _ = try subscriber.subscription(on: control)
            try control.call("Refresh")
        }
        try subscriber.waitUntilHeld(["frozen"], on: control)
    }
}
