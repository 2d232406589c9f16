// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleHost
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// The sleep of the machine as a login manager announces it, with a real message bus.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(if: LoginScene.isThere || getenv("CI") != nil, "dbus-daemon is missing"))
struct LoginSleepTests {
    private let scene: LoginScene
    private let bus: BusProcess

    init() async throws {
        scene = try await LoginScene()
        bus = try BusProcess(environment: scene.environment)
    }

    private static let usual: [String: DBusValue] = [
        "PreparingForSleep": .boolean(false), "InhibitDelayMaxUSec": .longNumber(5_000_000),
    ]

    /// Announces a sleep, and waits until the subscriber has read it and the machine may sleep.
    private func prepare(_ subscriber: Subscriber) async throws {
        try await scene.manager.announce(true)
        try awaitState("preparing", subscriber)
        try await waitForLocks(0)
    }

    private func waitForLocks(_ count: Int) async throws {
        let deadline = Deadline(seconds: 60)
        while await scene.manager.openLocks != count {
            guard !deadline.hasPassed else {
                throw Trouble("waited for \(count) open locks, have \(await scene.manager.openLocks): \(bus.log)")
            }
            backOff()
        }
    }

    private func awaitState(_ state: JSON, _ subscriber: Subscriber) throws {
        try subscriber.wait(for: "sleep") { $0["state"] == state }
    }

    @Test("a delay lock stands while a subscriber is awake, is closed for the sleep, and is taken again after it")
    func lockFollowsTheSleep() async throws {
        try await scene.manager.appear(Self.usual)
        let connections = try scene.connections
        let subscriber = try bus.subscribe(#"{"aspects":["sleep"]}"#)
        try await waitForLocks(1)
        #expect(try scene.connections == connections + 1)
        #expect(await scene.manager.lockRequests.first?.first == "sleep")
        #expect(await scene.manager.lockRequests.first?.last == "delay")
        try await prepare(subscriber)
        #expect(bus.log.contains("the machine may sleep after"))
        try await scene.manager.announce(false)
        try awaitState("awake", subscriber)
        try await waitForLocks(1)
        try subscriber.setState("background", on: try bus.client())
        try await waitForLocks(0)
    }

    /// The directories in which `Scripts/setup` unpacks elogind's library, which has the name of systemd's.
    private static let elogind = ["x86_64", "aarch64"].map { Package.root + "/.build-elogind/lib/\($0)-linux-gnu" }
    private static var hasElogind: Bool { elogind.contains { access($0 + "/libsystemd.so.0", R_OK) == 0 } }

    @Test(
        "the same program runs with elogind's library in place of systemd's",
        .enabled(if: hasElogind, "elogind's library is missing; Debian 12 has it"))
    func elogindsLibrary() async throws {
        try await scene.manager.appear(Self.usual)
        let library = ["LD_LIBRARY_PATH": Self.elogind.joined(separator: ":")]
        let bus = try BusProcess(environment: scene.environment.merging(library) { $1 })
        #expect(try String(contentsOfFile: "/proc/\(bus.process.pid)/maps").contains("/libelogind.so"))
        let subscriber = try bus.subscribe(#"{"aspects":["sleep"]}"#)
        try await waitForLocks(1)
        try await prepare(subscriber)
        try await scene.manager.announce(false)
        try awaitState("awake", subscriber)
        try await waitForLocks(1)
    }

    @Test("a login manager that comes late, or comes back, is asked for a lock again")
    func managerComesLate() async throws {
        let subscriber = try bus.subscribe(#"{"aspects":["sleep"]}"#)
        #expect(try bus.description(of: "sleep")["available"] == true)
        try await scene.manager.appear(Self.usual)
        try await waitForLocks(1)
        await scene.manager.leave()
        try await scene.manager.appear(["PreparingForSleep": .boolean(true), "InhibitDelayMaxUSec": .longNumber(.max)])
        try awaitState("preparing", subscriber)
        try await waitForLocks(0)
        try await scene.manager.announce(false)
        try awaitState("awake", subscriber)
        try await waitForLocks(1)
    }

    @Test("a lock that is refused, and answers of other types, end nothing; the announcement is delivered")
    func refusedLock() async throws {
        await scene.manager.refuseLocks(because: "not today")
        try await scene.manager.appear(["PreparingForSleep": .boolean(false), "InhibitDelayMaxUSec": .string("long")])
        let subscriber = try bus.subscribe(#"{"aspects":["sleep"]}"#)
        try wait(for: "the refusal in the log") {
            bus.log.contains("the sleep of the machine cannot be delayed: not today")
        }
        try await scene.manager.announce(true)
        try awaitState("preparing", subscriber)
    }

    /// Asks for the state, and waits longer than a question may take if the manager does not answer.
    private func state() throws -> JSON? { try bus.client().state(of: "sleep")["state"] }

    private func reload() throws {
        let line = "config.json5 again"
        let count = bus.log.ranges(of: line).count
        bus.process.signal(SIGHUP)
        try wait(for: line) { bus.log.ranges(of: line).count > count }
    }

    @Test("a login manager that is stopped when the first subscriber comes gives a lock when it goes on")
    func managerIsStopped() async throws {
        try await scene.manager.appear(Self.usual)
        await scene.manager.pause()
        let subscriber = try bus.subscribe(#"{"aspects":["sleep"]}"#)
        _ = try (state(), state())
        await scene.manager.goOn()
        try await waitForLocks(1)
        try await prepare(subscriber)
    }

    @Test("a lock that is asked for while the configuration is read again is taken")
    func reloadWhileALockIsAskedFor() async throws {
        try await scene.manager.appear(Self.usual)
        let subscriber = try bus.subscribe(#"{"aspects":["sleep"]}"#)
        try await waitForLocks(1)
        try subscriber.setState("background", on: try bus.client())
        try await waitForLocks(0)
        await scene.manager.pause("Inhibit")
        try subscriber.setState("foreground", on: try bus.client())
        let deadline = Deadline(seconds: 60)
        while await !scene.manager.isHoldingCalls, !deadline.hasPassed { backOff() }
        try reload()
        await scene.manager.goOn()
        // A lock for a connection that has ended is closed by then.
        try bus.client().call("Refresh")
        try await waitForLocks(1)
    }

    @Test("a sleep that nothing delays is not said to be delayed")
    func noLockIsNoDelay() async throws {
        await scene.manager.refuseLocks(because: "not today")
        try await scene.manager.appear(Self.usual)
        let subscriber = try bus.subscribe(#"{"aspects":["sleep"]}"#)
        try wait(for: "the refusal") { bus.log.contains("not today") }
        #expect(try "\(bus.description(of: "sleep"))".contains("refuses a delay lock: not today"))
        try await scene.manager.announce(true)
        try awaitState("preparing", subscriber)
        try await scene.manager.announce(false)
        try awaitState("awake", subscriber)
        #expect(bus.log.contains("the machine sleeps without a delay"))
        #expect(!bus.log.contains("may sleep after"))
    }

    @Test("a login manager that says at once that there is no reply is not asked again and again")
    func errorThatLooksLate() async throws {
        await scene.manager.refuseLocks(because: "polkit is slow", as: "org.freedesktop.DBus.Error.NoReply")
        try await scene.manager.appear(Self.usual)
        let subscriber = try bus.subscribe(#"{"aspects":["sleep"]}"#)
        try wait(for: "the refusal") { bus.log.contains("polkit is slow") }
        try bus.client().call("Refresh")
        #expect(await scene.manager.lockRequests.count == 1)
        withExtendedLifetime(subscriber) {}
    }

    @Test("nobody interested makes no connection to the message bus")
    func nobodyInterested() async throws {
        try await scene.manager.appear(Self.usual)
        let connections = try scene.connections
        let subscriber = try bus.subscribe(#"{"aspects":["battery"],"initial":true}"#)
        try bus.client().fence()
        #expect(try scene.connections == connections)
        #expect(await scene.manager.questions == [])
        withExtendedLifetime(subscriber) {}
    }
}
