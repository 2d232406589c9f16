// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

/// Random lives of a schedule: entries, set clocks, sleep, kills and reboots, checked by a model after each step.
@Suite(.timeLimit(.minutes(10))) struct ScheduleLifeTests {
    @Test("B124 B125 B126: each slot fires as a list of slots says, whatever happens", arguments: Seeds.ranges)
    func everySlotFiresOnce(seeds: ClosedRange<UInt64>) throws {
        // A kill loses nothing that was written, on any disk. On a real one, a life waits for it some dozens of times.
        let directory = try TemporaryDirectory(inMemory: "reveille-lives")
        try Seeds.run(seeds, of: "everySlotFiresOnce") { seed, _ in
            for file in ["/state.json", "/state/schedule"] { unlink(directory.path + file) }
            var life = try Life(seed: seed, in: directory)
            // Many short lives and some long ones, whose schedules and files have grown.
            for _ in 0..<(seed % 10 == 0 ? 40 : 10) { try life.step() }
        }
    }

    /// An entry, and its slots as a list.
    private struct Naive {
        let skipsMissed: Bool
        let grace: Int64?
        var slots: [Int64]
        var fired = 0

        /// Removes the slots that have passed, and returns how many of them fire.
        mutating func pass(to now: Int64, awakeSince: Int64) -> Int {
            let passed = slots.prefix { $0 <= now }
            let lateness = skipsMissed ? 0 : grace ?? .max
            let start = lateness == .max ? Int64.min : awakeSince - max(lateness, 1_000_000)
            slots.removeFirst(passed.count)
            let count = passed.count { $0 >= start }
            fired += count
            return count
        }
    }

    private struct Life {
        private static let minute: Int64 = 60_000_000
        /// The end of the lists of slots.
        private static let horizon: Int64 = 60 * 24 * 30 * minute

        private var random: SplitMix64
        private let scene: ScheduleScene
        private let start: Int64
        private var entries: [String: Naive] = [:]
        private var subscriber: ScenePeer
        private var instance: String
        private var position = 0
        /// The firings that the subscriber has not received.
        private var expected = 0

        init(seed: UInt64, in directory: TemporaryDirectory) throws {
            random = SplitMix64(seed: seed)
            scene = try ScheduleScene(in: directory)
            scene.scene.loop.diskTime = .milliseconds([0, 0, 1, 200].randomElement(using: &random) ?? 0)
            start = scene.now
            let (peer, reply) = try scene.subscribe(["initial": true])
            subscriber = peer
            instance = reply.instance
            position = reply.events.first?.generation ?? 0
        }

        mutating func step() throws {
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1, 2: try add()
            case 3: try cancel()
            case 4, 5:
                let before = scene.now
                let time = Int64.random(in: 0...200, using: &random) * Self.minute
                try scene.scene.bus.pass(.microseconds(time))
                count(awakeSince: before)
            case 6:
                scene.suspend(minutes: Int64.random(in: 0...200, using: &random))
                count(awakeSince: scene.now)
            case 7:
                scene.setClock(to: scene.now + Int64.random(in: -300...300, using: &random) * Self.minute / 2)
                count(awakeSince: scene.now)
            case 8: try killWhileSaving()
            default: try restart()
            }
            try settle()
            try check()
        }

        /// Lets the disk come to rest, since firings may have waited for it.
        private mutating func settle() throws {
            let before = scene.now
            try scene.scene.bus.pass(scene.scene.loop.diskTime * 8)
            count(awakeSince: before)
        }

        /// Kills the bus while it adds or cancels an entry; the next bus has either done so or not.
        private mutating func killWhileSaving() throws {
            try receive()
            try scene.scene.bus.pass(.milliseconds(200))
            count(awakeSince: scene.now - 200_000)
            let id = "\(Int.random(in: 0..<6, using: &random))"
            // A slot that comes meanwhile may belong to the entry that is replaced.
            if let next = entries[id]?.slots.first, next <= scene.now + 1_000_000 { return }
            let isAdded = Bool.random(using: &random)
            // No other entry has such an interval.
            let minutes = Int64.random(in: 91...120, using: &random)
            let entry: JSONObject = [
                "id": .string(id), "aspect": .string(ScheduleScene.name), "every": .integer(minutes * 60_000),
            ]
            let peer = scene.scene.connect()
            if isAdded {
                peer.send("org.reveille.Schedule.Add", ["entry": .object(entry)])
            } else {
                peer.send("org.reveille.Schedule.Cancel", ["id": .string(id)])
            }
            let added = scene.now
            // Less than a second, after which a slot that has waited for the disk would be missed.
            for _ in 0..<Int.random(in: 0...40, using: &random) where !scene.scene.bus.turn() {
                scene.scene.loop.advance(scene.scene.loop.diskTime / 10)
            }
            let reply = try peer.nextAvailable()
            count(awakeSince: added)
            try restartNow(isClean: false)
            let listed = try scene.list().first { $0.entry.id == id }
            if isAdded, let listed, listed.entry.every == minutes * 60_000 {
                let slots = stride(
                    from: listed.next ?? 0, through: start + Self.horizon, by: Int(minutes * Self.minute))
                entries[id] = Naive(skipsMissed: false, grace: nil, slots: Array(slots))
            } else if let reply, reply.error == nil, isAdded || listed != nil {
                throw Broken("a change that was confirmed is lost")
            } else if listed == nil {
                entries[id] = nil
            }
        }

        private mutating func add() throws {
            let id = "\(Int.random(in: 0..<6, using: &random))"
            let now = scene.now
            let minutes = Int64.random(in: 1...90, using: &random)
            let skipsMissed = Int.random(in: 0..<3, using: &random) == 0
            let grace = Int.random(in: 0..<3, using: &random) == 0 ? minutes * 40_000 : nil
            var fields: JSONObject = [:]
            if skipsMissed { fields["ifMissed"] = "skip" }
            fields["grace"] = grace.map { .integer($0) }
            let end = start + Self.horizon
            var slots: [Int64]
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                let at = now + (minutes - 20) * Self.minute
                fields["at"] = .integer(at)
                slots = [at]
            case 1:
                fields["every"] = .integer(minutes * 60_000)
                slots = Array(stride(from: now + minutes * Self.minute, through: end, by: Int(minutes * Self.minute)))
            default:
                fields["calendar"] = ["minute": .integer(minutes % 60)]
                fields["zone"] = "UTC"
                let hour = now / (60 * Self.minute) * 60 * Self.minute
                slots = stride(from: hour + minutes % 60 * Self.minute, through: end, by: Int(60 * Self.minute))
                    .filter { $0 >= now }
            }
            let reply = try scene.add(fields, id: id)
            guard reply.error == nil else { throw Broken("Add: \(reply.error ?? "")") }
            // The entry may have waited for the disk.
            if let first = slots.first, let next = reply.parameters["next"]?.integerValue, next != first, first >= now,
                (first...first + 60 * Self.minute).contains(next), scene.now > now
            {
                guard next - first <= scene.now - now || fields["calendar"] != nil else {
                    throw Broken("late by \(next - first)")
                }
                slots = fields["calendar"] != nil ? slots.filter { $0 >= next } : slots.map { $0 + next - first }
            }
            entries[id] = Naive(skipsMissed: skipsMissed, grace: grace.map { $0 * 1_000 }, slots: slots)
            count(awakeSince: 0)
        }

        private mutating func cancel() throws {
            let id = "\(Int.random(in: 0..<6, using: &random))"
            let isKnown = entries.removeValue(forKey: id) != nil
            guard try scene.cancel(id).error == (isKnown ? nil : "org.reveille.Schedule.NoSuchEntry") else {
                throw Broken("Cancel of \(id)")
            }
        }

        /// Stops or kills the bus, some time before it starts again.
        private mutating func restart() throws {
            let isClean = Bool.random(using: &random)
            try receive()
            // A change that is not saved yet would end the instance.
            try scene.scene.bus.pass(.milliseconds(200))
            count(awakeSince: scene.now - 200_000)
            scene.scene.loop.advance(.seconds(Int64.random(in: 0...20, using: &random) * 60))
            try restartNow(isClean: isClean)
        }

        private mutating func restartNow(isClean: Bool) throws {
            try scene.restart(isClean: isClean)
            count(awakeSince: scene.now)
            let (peer, reply) = try scene.resume(instance, from: position)
            guard reply.resumed == true else { throw Broken("the subscription is not resumed") }
            subscriber = peer
            try take(reply.events)
        }

        private mutating func count(awakeSince: Int64) {
            for id in entries.keys {
                expected += entries[id]?.pass(to: scene.now, awakeSince: awakeSince) ?? 0
                if entries[id]?.slots.isEmpty == true { entries[id] = nil }
            }
        }

        private mutating func receive() throws { try take(scene.events(of: subscriber)) }

        private mutating func take(_ events: [Event]) throws {
            for event in events {
                expected -= event.changeCount
                position = event.generation
                guard event.isNetChange else { throw Broken("a firing without a net change") }
            }
        }

        private mutating func check() throws {
            try receive()
            guard expected == 0 else { throw Broken("\(expected) firings are missing") }
            let listed = try scene.list()
            let known = entries.sorted { $0.key < $1.key }
            guard listed.map(\.entry.id) == known.map(\.key), listed.map(\.fired) == known.map(\.value.fired),
                listed.map(\.next) == known.map(\.value.slots.first)
            else { throw Broken("the entries are \(listed), expected \(known.map { ($0.key, $0.value.fired) })") }
        }
    }
}
