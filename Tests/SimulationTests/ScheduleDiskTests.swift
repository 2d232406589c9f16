// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

/// The schedule on disks that are slow, and on small ones.
@Suite(.timeLimit(.minutes(10))) struct ScheduleDiskTests {
    // MARK: - A slow disk

    @Test("a change is answered once it is on the disk, and only its connection waits for that") func slowDisk() throws
    {
        let scene = try ScheduleScene()
        scene.scene.loop.diskTime = .seconds(60)
        let (waiting, other) = (scene.scene.connect(), scene.scene.connect())
        waiting.send(
            "org.reveille.Schedule.Add", ["entry": ["id": "a", "aspect": "org.example.a", "every": 3_600_000]])
        waiting.send("GetState")
        try other.publish("org.example.b", ["b": 1])
        #expect(try waiting.next() == nil)
        // The file is created first, and its directory follows.
        scene.pass(minutes: 2)
        #expect(try other.values(of: "org.example.b") == ["org.example.b": #"{"b":1}"#])
        #expect(try waiting.next() == nil)
        scene.pass(minutes: 1)
        #expect(try waiting.next()?.parameters["next"] != nil)
        #expect(try waiting.reply()?.parameters["instance"] != nil)
    }

    @Test("a stop waits for the disk, and answers those who have waited") func stopOnASlowDisk() throws {
        let scene = try ScheduleScene()
        scene.scene.loop.diskTime = .seconds(60)
        let peer = scene.scene.connect()
        peer.send("org.reveille.Schedule.Add", ["entry": ["id": "a", "aspect": "org.example.a", "every": 3_600_000]])
        #expect(try peer.next() == nil)
        scene.scene.bus.stop()
        #expect(try peer.next()?.error == nil)
        try scene.restart()
        #expect(try scene.list().map(\.entry.id) == ["a"])
    }

    // MARK: - A small disk

    @Test(
        "firings go on while the records of past ones fill the disk, and entries leave room for them",
        .enabled(if: MountedDirectory.canBeMade, "mounting is not permitted here"), arguments: [1, 150])
    func smallDisk(entries: Int) throws {
        let scene = try ScheduleScene()
        let disk = try MountedDirectory(scene.directory.path + "/state", size: "96k")
        for number in 0..<entries {
            let entry: JSONObject = ["every": 60_000, "aspect": .string("org.example.x\(number)")]
            #expect(try scene.add(entry, id: "\(number)").error == nil)
        }
        for round in 1...40 {
            scene.pass(minutes: 1)
            #expect(try scene.list().allSatisfy { $0.fired == round })
        }
        // Others fill the disk, then entries do.
        disk.fill()
        scene.pass(minutes: 20)
        #expect(try scene.list().allSatisfy { $0.fired == 60 })
        disk.empty()
        var count = 0
        while try scene.add(["every": 60_000, "aspect": "org.example.more"], id: "more\(count)").error == nil,
            count < 999
        {
            count += 1
        }
        #expect((1..<999).contains(count))
        let before = try scene.list().map(\.fired)
        scene.pass(minutes: 20)
        #expect(try scene.list().map(\.fired) == before.map { $0 + 20 })
        #expect(try scene.cancel().error == nil)
        #expect(try scene.list().isEmpty)
    }
}

/// A file system in memory, mounted at a path until it is released.
private final class MountedDirectory {
    private let path: String

    /// Whether mounting is permitted: for root, but not in every container.
    static var canBeMade: Bool {
        guard geteuid() == 0, let directory = try? TemporaryDirectory() else { return false }
        return (try? MountedDirectory(directory.path, size: "4k")) != nil
    }

    init(_ path: String, size: String) throws {
        self.path = path
        mkdir(path, 0o700)
        guard mount("none", path, "tmpfs", 0, "size=\(size)") == 0 else { throw Broken("mount: \(errno)") }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    func fill() {
        let file = open(path + "/others", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let page = [UInt8](repeating: 1, count: 4_096)
        while write(file, page, page.count) > 0 {}
        close(file)
    }

    func empty() { unlink(path + "/others") }
}
