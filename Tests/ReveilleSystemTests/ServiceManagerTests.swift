// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleHost
import ReveilleSystem
import ReveilleTesting
import Testing

actor ServiceManagerOnThread {
    private let thread: LoopThread
    private let manager: ServiceManager
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(address: String) async throws {
        thread = try LoopThread()
        manager = ServiceManager(loop: thread.loop, address: address)
    }

    // The loop and what uses it are released on its thread.
    isolated deinit {}

    func freeze(_ unit: String) async -> ServiceManager.Failure? {
        await withCheckedContinuation { done in manager.freeze(unit) { done.resume(returning: $0) } }
    }

    func thaw(_ unit: String) async -> ServiceManager.Failure? {
        await withCheckedContinuation { done in manager.thaw(unit) { done.resume(returning: $0) } }
    }

    func start(_ unit: TransientUnit) async -> ServiceManager.Failure? {
        await withCheckedContinuation { done in manager.start(unit) { done.resume(returning: $0) } }
    }

    func findUnit(ofCgroup path: String) async -> Result<String, ServiceManager.Failure> {
        await withCheckedContinuation { done in manager.findUnit(ofCgroup: path) { done.resume(returning: $0) } }
    }

    /// Calls the manager twice through a bus that accepts and closes connections.
    func freezeTwice(refusedAt address: String) async throws -> [ServiceManager.Failure?] {
        let listener = try UnixListener(at: UnixAddress(address))
        let source = try thread.loop.watch(listener.number, for: .readable) { _ in _ = try? listener.accept() }
        defer { source.cancel() }
        return [await freeze("a.service"), await freeze("b.service")]
    }

    func thawNow(_ units: [String]) {
        manager.thawNow(units)
    }
}

@Suite(.timeLimit(.minutes(10))) struct AbsentServiceManagerTests {
    @Test func missingBusMeansThatThereIsNoManager() async throws {
        let directory = try TemporaryDirectory()
        let manager = try await ServiceManagerOnThread(address: "unix:path=\(directory.path)/bus")
        let failure = await manager.freeze("a.service")
        #expect(failure == .absent("sd_bus_start: No such file or directory (ENOENT)"))
    }

    /// A bus on a machine where systemd is installed but does not run.
    @Test(.enabled(if: access("/usr/bin/dbus-daemon", X_OK) == 0, "dbus-daemon is missing"))
    func managerThatTheBusCannotActivateIsAbsent() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            "[D-BUS Service]\nName=org.freedesktop.systemd1\nExec=/bin/false\n", to: "services/manager.service")
        try directory.write(
            """
            <busconfig>
              <type>session</type>
              <listen>unix:path=\(directory.path)/bus</listen>
              <servicedir>\(directory.path)/services</servicedir>
              <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/></policy>
            </busconfig>
            """, to: "bus.conf")
        let ready = try Pipe()
        let process = try ChildProcess(
            [
                "dbus-daemon", "--config-file=\(directory.path)/bus.conf", "--nofork", "--nopidfile",
                "--print-address=1",
            ],
            descriptors: [STDOUT_FILENO: ready.writable])
        ready.closeWritingEnd()
        #expect(ready.waitForWake())
        let manager = try await ServiceManagerOnThread(address: "unix:path=\(directory.path)/bus")
        #expect(await manager.freeze("a.service") == .absent("it is not connected to the message bus"))
        withExtendedLifetime(process) {}
    }

    @Test func busThatClosesTheConnectionFailsEachCall() async throws {
        let directory = try TemporaryDirectory()
        let manager = try await ServiceManagerOnThread(address: "unix:path=\(directory.path)/bus")
        for failure in try await manager.freezeTwice(refusedAt: "unix:\(directory.path)/bus") {
            guard case .refused = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        }
    }
}

@Suite(
    .timeLimit(.minutes(10)), .enabled(if: PrivateServiceManager.obstacle == nil, "no systemd can be started here"))
struct ServiceManagerTests {
    private let real: PrivateServiceManager
    private let manager: ServiceManagerOnThread

    init() async throws {
        real = try PrivateServiceManager()
        manager = try await ServiceManagerOnThread(address: real.address)
    }

    @Test func processIsMovedIntoAScopeThatCanBeFrozenAndThawed() async throws {
        let input = try Pipe()
        let process = try ChildProcess(["cat"], descriptors: [0: input.readingEnd])
        let name = UnitName.scope(for: "cat", number: 7)
        let scope = TransientUnit.scope(name, of: process.pid, description: "A test")
        #expect(await manager.start(scope) == nil)
        let path = try #require(CgroupHierarchy.path(of: process.pid))
        #expect(path.hasSuffix("/app.slice/" + name.text))
        #expect(await manager.findUnit(ofCgroup: path) == .success(name.text))

        #expect(await manager.start(scope) == .exists)
        #expect(await manager.freeze(name.text) == nil)
        #expect(CgroupHierarchy.isFrozen(path) == true)
        #expect(await manager.thaw(name.text) == nil)
        #expect(CgroupHierarchy.isFrozen(path) == false)

        #expect(await manager.freeze(name.text) == nil)
        await manager.thawNow([name.text, "missing.service"])
        #expect(CgroupHierarchy.isFrozen(path) == false)
    }

    @Test func serviceIsStartedOnceAndFailsWithAReason() async throws {
        let name = UnitName.service(for: ["sleep"])
        func service(_ path: String) -> TransientUnit {
            .service(name, path: path, arguments: ["sleep", "1000"], environment: ["REVEILLE_X": "1 \"%i\" $HOME"])
        }
        let failure = await manager.start(service("/nonexistent"))
        #expect(failure == .refused("the job of \(name.text) ended as 'failed'"))
        // The failed unit does not remain.
        #expect(await manager.start(service("/bin/sleep")) == nil)
        #expect(await manager.start(service("/bin/sleep")) == .exists)
    }

    @Test func unknownUnitsAreReported() async throws {
        let failure = await manager.freeze("missing.service")
        #expect(failure == .unknownUnit("Unit missing.service not loaded."))
        #expect(await manager.freeze("no unit") != nil)
        let unit = await manager.findUnit(ofCgroup: "/elsewhere")
        guard case .failure(.unknownUnit) = unit else {
            Issue.record("\(unit)")
            return
        }
    }
}
