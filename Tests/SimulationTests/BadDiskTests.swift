// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

/// The promises of the schedule and of the saved state on disks that refuse to write.
@Suite(.timeLimit(.minutes(10))) struct BadDiskTests {
    private let states = BadDisk()
    private let schedules = BadDisk()

    private func scene() throws -> ScheduleScene {
        try ScheduleScene(stateDisk: states.disk, scheduleDisk: schedules.disk)
    }

    /// Subscribes from a position before the firings.
    private func resume(_ scene: ScheduleScene, _ start: SubscribeReply) throws -> SubscribeReply {
        try scene.resume(start.instance, from: start.events.first?.generation ?? 0).start
    }

    @Test("a state that could not be saved before the schedule's file lost a firing is not restored after a kill")
    func firingThatNoFileContains() throws {
        let scene = try scene()
        let (_, start) = try scene.subscribe(["initial": true])
        try scene.add(["at": .integer(scene.now + ScheduleScene.minute)])
        scene.scene.pass(.milliseconds(200))
        states.refused = [.write, .unlink]
        scene.pass(minutes: 1)
        states.refused = []
        try scene.restart()
        #expect(try resume(scene, start).resumed == false)
    }

    @Test("the firings of an entry are restored while the state cannot be saved and the schedule's file contains them")
    func firingsThatTheFileContains() throws {
        let scene = try scene()
        let (_, start) = try scene.subscribe(["initial": true])
        try scene.add(["every": 60_000])
        scene.scene.pass(.milliseconds(200))
        states.refused = Set(Disk.Step.allCases)
        scene.pass(minutes: 3)
        states.refused = []
        try scene.restart()
        let resumed = try resume(scene, start)
        #expect(resumed.resumed == true)
        #expect(resumed.events.map(\.changeCount) == [3])
    }

    @Test("a state is not restored if the schedule that may contain later firings is damaged")
    func damagedSchedule() throws {
        let scene = try scene()
        let (_, start) = try scene.subscribe(["initial": true])
        try scene.add(["every": 60_000])
        scene.pass(minutes: 1)
        try scene.directory.write("reveille schedule 1\nx\nx\n", to: "state/schedule")
        try scene.restart()
        #expect(try resume(scene, start).resumed == false)
    }

    @Test("no entry is lost if a record is written in part and cannot be removed") func partialRecord() throws {
        let scene = try scene()
        try scene.add(["every": 60_000], id: "a")
        schedules.refused = [.write, .truncate]
        #expect(try scene.add(["every": 60_000], id: "b").error != nil)
        schedules.refused = []
        try scene.add(["every": 60_000], id: "c")
        try scene.restart()
        #expect(try scene.list().map(\.entry.id) == ["a", "c"])
    }

    // MARK: - Random orders

    @Test(
        "B126: no generation has two values and no entry returns or is lost, in any order of failures",
        arguments: Seeds.ranges)
    func anyOrder(seeds: ClosedRange<UInt64>) throws {
        let directory = try TemporaryDirectory(inMemory: "reveille-disks")
        try Seeds.run(seeds, of: "anyOrder") { seed, _ in
            for file in ["/state.json", "/state/schedule"] { unlink(directory.path + file) }
            var life = try Life(seed: seed, in: directory)
            for _ in 0..<(seed % 10 == 0 ? 40 : 15) { try life.step() }
        }
    }

    private struct Life {
        private var random: SplitMix64
        private let states = BadDisk()
        private let schedules = BadDisk()
        private let scene: ScheduleScene
        /// The entries, and whether they repeat.
        private var entries: [String: Bool] = [:]
        /// The firings that were counted, by entry; more may have passed since.
        private var fired: [String: Int] = [:]
        /// The values that anybody has received, by instance and generation.
        private var told: [String: String] = [:]
        private var instance = ""
        private var position = 0
        private var published = 0

        init(seed: UInt64, in directory: TemporaryDirectory) throws {
            random = SplitMix64(seed: seed)
            scene = try ScheduleScene(in: directory, stateDisk: states.disk, scheduleDisk: schedules.disk)
            scene.scene.loop.diskTime = .milliseconds([0, 1, 30].randomElement(using: &random) ?? 0)
            let start = try scene.subscribe(["initial": true]).start
            instance = start.instance
            try tell(start.events)
        }

        mutating func step() throws {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: try add()
            case 1: try cancel()
            case 2: states.change(using: &random)
            case 3: schedules.change(using: &random)
            case 4:
                published += 1
                try scene.scene.connect().publish(ScheduleScene.name, ["published": .integer(Int64(published))])
            case 5, 6: scene.scene.pass(.seconds(Int64.random(in: 1...90, using: &random)), step: .seconds(1))
            default: try restart()
            }
            try check()
        }

        private mutating func add() throws {
            let id = "\(Int.random(in: 0..<3, using: &random))"
            let value: JSONObject = ["by": .string(id), "at": .integer(scene.now)]
            var fields: JSONObject = ["value": .object(value)]
            let repeats = Bool.random(using: &random)
            if repeats {
                fields["every"] = 20_000
            } else {
                fields["at"] = .integer(scene.now + 30_000_000)
            }
            if try scene.add(fields, id: id).error == nil {
                entries[id] = repeats
                fired[id] = 0
            }
        }

        private mutating func cancel() throws {
            let id = "\(Int.random(in: 0..<3, using: &random))"
            if try scene.cancel(id).error == nil { entries[id] = nil }
        }

        private mutating func restart() throws {
            let isClean = Bool.random(using: &random)
            try scene.restart(isClean: isClean)
            let start = try scene.resume(instance, from: position).start
            guard start.resumed == (start.instance == instance) else { throw Broken("resumed in another instance") }
            if start.resumed == true, let event = start.events.first, event.changeCount != event.generation - position {
                throw Broken("\(event.changeCount) changes from \(position) to \(event.generation)")
            }
            if start.instance != instance { position = 0 }
            instance = start.instance
        }

        /// Compares states with earlier ones.
        private mutating func tell(_ events: [Event]) throws {
            for event in events {
                let value = event.published?.json ?? "null"
                let key = "\(instance) \(event.generation)"
                guard told[key] == nil || told[key] == value else {
                    throw Broken("generation \(event.generation) was \(told[key] ?? ""), and is \(value)")
                }
                told[key] = value
                position = event.generation
            }
        }

        private mutating func check() throws {
            let reply = try scene.scene.connect().call("GetState", ["aspects": [.string(ScheduleScene.name)]])
            let before = position
            let former = instance
            instance = reply.parameters["instance"]?.stringValue ?? ""
            try tell(try [Event](reply.parameters, noting: UnknownWords()))
            guard instance != former || position >= before else { throw Broken("the state went back") }
            let listed = try scene.list()
            guard listed.allSatisfy({ entries[$0.entry.id] != nil }) else { throw Broken("an entry came back") }
            let ids = Set(listed.map(\.entry.id))
            for (id, repeats) in entries where !ids.contains(id) {
                guard !repeats else { throw Broken("an entry is lost") }
                entries[id] = nil
            }
            for entry in listed {
                guard entry.fired >= fired[entry.entry.id] ?? 0 else { throw Broken("firings were forgotten") }
                fired[entry.entry.id] = entry.fired
            }
        }
    }
}

final class BadDisk: @unchecked Sendable {
    var refused: Set<Disk.Step> = []

    var disk: Disk { Disk { [self] in refused.contains($0) } }

    /// Refuses other steps from now on, often none.
    func change(using random: inout SplitMix64) {
        refused = []
        guard Bool.random(using: &random) else { return }
        // A record that can neither be confirmed nor removed again stays, whatever a program does.
        refused = Set(Disk.Step.allCases.filter { $0 != .truncate && Int.random(in: 0..<3, using: &random) == 0 })
    }
}
