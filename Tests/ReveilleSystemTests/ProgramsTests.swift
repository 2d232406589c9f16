// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleHost
import ReveilleSystem
import ReveilleTesting
import Testing

/// The programs of this machine on a loop with a thread of its own.
private actor ProgramsOnThread {
    /// A process that is identified by its ID alone.
    private final class NumberedProcess: FollowedProcess {
        let pid: Int32
        var user: UInt32 { UserDatabase.owner(ofProcess: pid) ?? 0 }
        let number: Int32 = -1
        let hasEnded = false

        init(pid: Int32) {
            self.pid = pid
        }

        var cgroup: String? { CgroupHierarchy.path(of: pid) }

        func terminate() throws(SystemError) {}
    }

    private let thread: LoopThread
    private let programs: SystemPrograms
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Creates programs with the manager on a bus; by default there is none.
    init(address: String = "unix:path=/nonexistent") async throws {
        thread = try LoopThread()
        programs = SystemPrograms(
            loop: thread.loop, manager: ServiceManager(loop: thread.loop, address: address))
    }

    // The loop and what uses it are released on its thread.
    isolated deinit {}

    func cgroup(suspending pid: Int32, subscribers: Set<Int32>) throws -> String {
        try programs.cgroup(suspending: NumberedProcess(pid: pid), subscribers: subscribers)
    }

    func freeze(_ cgroup: String) async -> String? {
        await withCheckedContinuation { done in programs.freeze(cgroup) { done.resume(returning: $0?.reason) } }
    }

    func thaw(_ cgroup: String) async -> String? {
        await withCheckedContinuation { done in programs.thaw(cgroup) { done.resume(returning: $0?.reason) } }
    }

    /// Thaws a cgroup while it is being frozen, and returns the reasons why it is not frozen, and not thawed.
    func freezeAndThaw(_ cgroup: String) async -> [String?] {
        await withCheckedContinuation { done in
            var reason: String?
            programs.freeze(cgroup) { reason = $0?.reason }
            programs.thaw(cgroup) { done.resume(returning: [reason, $0?.reason]) }
        }
    }

    func thawBeforeEnd(_ cgroups: [String]) -> [String] {
        programs.thawBeforeEnd(cgroups)
    }
}

extension CgroupHierarchy {
    static func path(of pid: Int32) -> String? {
        guard case .bytes(let bytes) = FileContents.read("/proc/\(pid)/cgroup", limit: 65_536) else { return nil }
        return path(inProcessFile: String(decoding: bytes, as: UTF8.self))
    }

    static func isFrozen(_ path: String) -> Bool? {
        guard let directory = find()?.directory(of: path),
            case .bytes(let bytes) = FileContents.read(directory + "/cgroup.events", limit: 1_024)
        else { return nil }
        return CgroupFreezer.isFrozen(inEvents: String(decoding: bytes, as: UTF8.self))
    }
}

@Suite(
    .timeLimit(.minutes(10)), .enabled(if: TemporaryCgroup.canBeMade, "requires a cgroup v2 with a freezer"))
struct CgroupProgramsTests {
    private let programs: ProgramsOnThread
    private let group: TemporaryCgroup
    private let input: Pipe
    private let process: ChildProcess

    init() async throws {
        programs = try await ProgramsOnThread()
        group = try TemporaryCgroup()
        input = try Pipe()
        process = try ChildProcess(["cat"], descriptors: [0: input.readingEnd])
        try group.add(process)
    }

    private func refusal(of pid: Int32, subscribers: Set<Int32>) async throws -> String {
        let error = await #expect(throws: CannotFreeze.self) {
            try await programs.cgroup(suspending: pid, subscribers: subscribers)
        }
        return try #require(error).reason
    }

    @Test func cgroupOfSubscribersIsFrozenAndThawed() async throws {
        let path = try await programs.cgroup(suspending: process.pid, subscribers: [1, process.pid])
        #expect(group.path.hasSuffix(path))
        #expect(await programs.freeze(path) == nil)
        #expect(CgroupHierarchy.isFrozen(path) == true)
        #expect(await programs.freeze(path) == nil)
        #expect(await programs.thaw(path) == nil)
        #expect(CgroupHierarchy.isFrozen(path) == false)
        #expect(await programs.thaw(path) == nil)
        #expect(await programs.freezeAndThaw(path) == ["cgroup \(path) has been thawed meanwhile", nil])
        #expect(CgroupHierarchy.isFrozen(path) == false)
        #expect(await programs.freeze(path) == nil)
        #expect(await programs.thawBeforeEnd([path]) == [])
        #expect(CgroupHierarchy.isFrozen(path) == false)
    }

    @Test func cgroupWithOtherProcessesIsRefused() async throws {
        let path = try #require(CgroupHierarchy.path(of: process.pid))
        let advice = "start the program with 'reveille run' to give it a scope of its own"
        #expect(
            try await refusal(of: process.pid, subscribers: [1])
                == "cgroup \(path) contains process \(process.pid), which is not a subscriber; \(advice)")
        let inner = try TemporaryCgroup(in: group)
        #expect(try await programs.cgroup(suspending: process.pid, subscribers: [process.pid]) == path)
        let other = try ChildProcess(["cat"], descriptors: [0: input.readingEnd])
        try inner.add(other)
        #expect(
            try await refusal(of: process.pid, subscribers: [process.pid])
                == "cgroup \(path) contains process \(other.pid), which is not a subscriber; \(advice)")
    }

    @Test(.enabled(if: geteuid() == 0, "requires root")) func processesOfAnotherUserAreNotFrozenForAUser() async throws
    {
        let path = try #require(CgroupHierarchy.path(of: process.pid))
        let theirs = try ChildProcess(
            ["setpriv", "--reuid", "64123", "--clear-groups", "cat"], descriptors: [0: input.readingEnd])
        try group.add(theirs)
        // Until setpriv has become another user, root suspends its own program.
        while UserDatabase.owner(ofProcess: theirs.pid) == 0 { sched_yield() }
        let subscribers: Set = [process.pid, theirs.pid]
        #expect(
            try await refusal(of: theirs.pid, subscribers: subscribers)
                == "cgroup \(path) contains process \(process.pid), which belongs to another user")
        #expect(try await programs.cgroup(suspending: process.pid, subscribers: subscribers) == path)
    }

    @Test func cgroupOfTheBusIsRefused() async throws {
        let own = try #require(CgroupHierarchy.path(of: getpid()))
        // The tests may run in the cgroup of the service manager.
        let reasons = ["cgroup \(own) contains the bus", "init.scope runs the service manager"]
        let reason = try await refusal(of: getpid(), subscribers: [getpid()])
        #expect(reasons.contains(reason))
        #expect(try await refusal(of: -1, subscribers: []) == "the cgroup of process -1 is unknown")
    }

    @Test func missingCgroupIsNotFrozenAndCountsAsThawed() async throws {
        let path = "/reveille-missing-\(UInt64.random(in: .min ... .max))"
        #expect(await programs.freeze(path) == "cgroup \(path) does not exist")
        #expect(await programs.thaw(path) == nil)
        #expect(await programs.freeze("/../outside")?.hasPrefix("cgroup /../outside is not in") == true)
        #expect(await programs.thawBeforeEnd([path, "/../outside"]) == [])
    }

    @Test func scopeOfAProgramIsFrozenWithOtherProcesses() async throws {
        let name = UnitName.scope(for: "cat", number: .random(in: .min ... .max)).text
        let scope = group.path + "/" + name
        #expect(mkdir(scope, 0o755) == 0)
        defer { rmdir(scope) }
        let path = try #require(CgroupHierarchy.path(of: process.pid)) + "/" + name
        let member = try ChildProcess(["cat"], descriptors: [0: input.readingEnd])
        defer {
            member.signal(SIGKILL)
            member.wait()
        }
        try TemporaryCgroup.move(member, to: scope)
        #expect(try await programs.cgroup(suspending: member.pid, subscribers: []) == path)
        #expect(await programs.freeze(path) == nil)
        #expect(CgroupHierarchy.isFrozen(path) == true)
        #expect(await programs.thaw(path) == nil)
        #expect(CgroupHierarchy.isFrozen(path) == false)
    }
}

@Suite(
    .timeLimit(.minutes(10)), .enabled(if: PrivateServiceManager.obstacle == nil, "no systemd can be started here"))
struct UnitProgramsTests {
    @Test func scopeIsFrozenByTheServiceManager() async throws {
        let real = try PrivateServiceManager()
        let programs = try await ProgramsOnThread(address: real.address)
        let manager = try await ServiceManagerOnThread(address: real.address)
        let input = try Pipe()
        let process = try ChildProcess(["cat"], descriptors: [0: input.readingEnd])
        let name = UnitName.scope(for: "cat", number: 1)
        #expect(await manager.start(.scope(name, of: process.pid, description: "")) == nil)

        let path = try await programs.cgroup(suspending: process.pid, subscribers: [])
        #expect(path.hasSuffix("/" + name.text))
        #expect(await programs.thaw(path) == nil)
        #expect(await programs.freeze(path) == nil)
        #expect(CgroupHierarchy.isFrozen(path) == true)
        // The manager would not freeze a unit that it knows to be frozen.
        #expect(await programs.thaw(path) == nil)
        #expect(CgroupHierarchy.isFrozen(path) == false)
        #expect(await programs.freezeAndThaw(path) == ["cgroup \(path) has been thawed meanwhile", nil])
        #expect(CgroupHierarchy.isFrozen(path) == false)
        #expect(await programs.freeze(path) == nil)
        #expect(await programs.thawBeforeEnd([path]) == [])
        #expect(CgroupHierarchy.isFrozen(path) == false)

        // As when the bus ends.
        #expect(await programs.freeze(path) == nil)
        let ended = try EventLoop()
        let timer = try ended.timer { ended.exit() }
        timer.fire(after: .zero)
        try ended.run()
        let last = SystemPrograms(loop: ended, manager: ServiceManager(loop: ended, address: real.address))
        #expect(last.thawBeforeEnd([path]) == [])
        #expect(CgroupHierarchy.isFrozen(path) == false)
        #expect(await programs.freeze(path) == nil, "the manager knows that the scope was thawed")
        #expect(await programs.thaw(path) == nil)

        process.signal(SIGKILL)
        process.wait()
        #expect(await programs.thaw(path) == nil)
        // Until the manager has removed the cgroup.
        while CgroupHierarchy.isFrozen(path) != nil { sched_yield() }
        #expect(await programs.thaw(path) == nil)
        #expect(await programs.freeze(path) == "cgroup \(path) does not exist")
    }
}
