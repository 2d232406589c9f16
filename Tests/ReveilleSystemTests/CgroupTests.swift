// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing

@testable import ReveilleHost
@testable import ReveilleSystem

/// The cgroup of a process, its directory and its freezer state.
@Suite(.timeLimit(.minutes(10))) struct CgroupTests {
    @Test(
        arguments: [
            ("0::/user.slice/app.scope\n", "/user.slice/app.scope"), ("0::/\n", "/"),
            ("12:freezer:/lxc\n1:name=systemd:/init.scope\n0::/unified one\n", "/unified one"),
            ("0::/../outside\n", "/../outside"), ("4:memory:/0::/\n", nil), ("", nil), ("0::", nil),
        ] as [(String, String?)])
    func pathIsTakenFromTheUnifiedHierarchy(text: String, path: String?) {
        #expect(CgroupHierarchy.path(inProcessFile: text) == path)
    }

    @Test(
        arguments: [
            ("populated 1\nfrozen 1\n", true), ("populated 1\nfrozen 0\n", false), ("frozen 1\npopulated 0\n", true),
            ("populated 1\n", nil), ("", nil), ("unfrozen 1\n", nil),
        ] as [(String, Bool?)])
    func eventsReportWhetherACgroupIsFrozen(text: String, isFrozen: Bool?) {
        #expect(CgroupFreezer.isFrozen(inEvents: text) == isFrozen)
    }

    @Test func mountIsFoundAmongOthers() throws {
        let text = """
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            30 22 0:26 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer
            31 22 0:27 /cgroup2 /mnt/named\\040cgroup2 rw shared:4 master:2 - tmpfs tmpfs rw
            32 22 0:28 / /sys/fs/cgroup\\040two rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate
            """
        let hierarchy = try #require(CgroupHierarchy(inMountInfo: text))
        #expect(hierarchy.directory == "/sys/fs/cgroup two")
        #expect(hierarchy.directory(of: "/a/b") == "/sys/fs/cgroup two/a/b")
        #expect(hierarchy.directory(of: "/") == "/sys/fs/cgroup two")
        #expect(hierarchy.directory(of: "/../b") == nil)
        #expect(CgroupHierarchy(inMountInfo: "22 1 8:1 / / rw - ext4 /dev/sda1 rw\nnonsense - cgroup2\n") == nil)
    }

    @Test func mountMayCoverOnlyASubtree() throws {
        let text = "32 22 0:28 /docker/one /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
        let hierarchy = try #require(CgroupHierarchy(inMountInfo: text))
        #expect(hierarchy.directory(of: "/docker/one") == "/sys/fs/cgroup")
        #expect(hierarchy.directory(of: "/docker/one/app") == "/sys/fs/cgroup/app")
        #expect(hierarchy.directory(of: "/docker/other") == nil)
        #expect(hierarchy.directory(of: "/docker/one-more") == nil)
    }

    @Test("a cgroup whose freezer cannot be read is thawed, since it may be frozen") func unknownFreezer() throws {
        let directory = try TemporaryDirectory()
        let mount = "32 22 0:28 / \(directory.path) rw - cgroup2 cgroup2 rw\n"
        func isRequested(_ name: String) throws -> Bool {
            try ProgramCgroup("/" + name, in: CgroupHierarchy(inMountInfo: mount)).isRequested
        }
        try directory.write("0\n", to: "running/cgroup.freeze")
        try directory.write("1\n", to: "frozen/cgroup.freeze")
        // Even root cannot read a directory.
        try directory.write("", to: "unknown/cgroup.freeze/file")
        #expect(try !isRequested("running"))
        #expect(try isRequested("frozen"))
        #expect(try isRequested("unknown"))
        #expect(try !isRequested("missing"))
    }

    @Test func rootAndMissingCgroupsAreAbsent() throws {
        let directory = try TemporaryDirectory()
        let error = try #require(throws: SystemError.self) {
            try CgroupFreezer(directory: directory.path, loop: EventLoop()) {}
        }
        #expect(error.isAbsence)
    }
}

@Suite(
    .timeLimit(.minutes(10)), .enabled(if: TemporaryCgroup.canBeMade, "requires a cgroup v2 with a freezer"))
struct CgroupFreezerTests {
    private let outer: TemporaryCgroup
    private let inner: TemporaryCgroup
    private let input: Pipe

    init() throws {
        outer = try TemporaryCgroup()
        inner = try TemporaryCgroup(in: outer)
        input = try Pipe()
        // Blocks on input that never arrives.
        try inner.add(
            ChildProcess(["cat"], descriptors: [0: input.readingEnd]))
    }

    /// Freezes or thaws, and waits until the freezer of a cgroup reports it.
    private func expect(_ isFrozen: Bool, of watched: TemporaryCgroup, after change: () throws -> Void) throws {
        let loop = try EventLoop()
        var freezer: CgroupFreezer?
        freezer = try CgroupFreezer(directory: watched.path, loop: loop) {
            if freezer?.isFrozen == isFrozen { loop.exit() }
        }
        #expect(freezer?.isFrozen == !isFrozen)
        try change()
        let deadline = try loop.timer {
            Issue.record("no notification that the cgroup is \(isFrozen ? "frozen" : "thawed")")
            loop.exit()
        }
        deadline.fire(after: .seconds(20))
        try loop.run()
        #expect(freezer?.isFrozen == isFrozen)
        // The handler retains the freezer.
        freezer = nil
    }

    @Test("freezing is reported for the cgroup itself and for an ancestor", arguments: [false, true])
    func freezingIsReported(ofAncestor: Bool) throws {
        let frozen = ofAncestor ? outer : inner
        try expect(true, of: inner) { try frozen.freeze(true) }
        try expect(false, of: inner) { try frozen.freeze(false) }
    }

    @Test func removedCgroupHasNoState() throws {
        var cgroup: TemporaryCgroup? = try TemporaryCgroup()
        let freezer = try CgroupFreezer(directory: #require(cgroup).path, loop: EventLoop()) {}
        #expect(freezer.isFrozen == false)
        cgroup = nil
        #expect(freezer.isFrozen == nil)
    }
}
