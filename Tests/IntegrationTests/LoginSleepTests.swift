// SPDX-License-Identifier: Apache-2.0

import Glibc
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
        try await scene.manager.announce(true)
        try awaitState("preparing", subscriber)
        try await waitForLocks(0)
        #expect(bus.log.contains("the machine may sleep after"))
        try await scene.manager.announce(false)
        try awaitState("awake", subscriber)
        try await waitForLocks(1)
        try subscriber.setState("background", on: try bus.client())
        try await waitForLocks(0)
    }

    @Test("a task holds a sleep back until it ends, without any subscriber to the sleep")
    func taskHoldsTheSleepBack() async throws {
        try await scene.manager.appear(Self.usual)
        let subscriber = try bus.subscribe(#"{"aspects":["battery"]}"#)
        var task: RawClient? = try bus.client()
        try task?.send(
            #"{"method":"org.reveille.Bus.BeginTask","parameters":{"subscription":"\#(subscriber.id)","name":"save"},"more":true}"#
        )
        #expect(try task?.receive().continues == true)
        try await waitForLocks(1)
        task = nil
        try await waitForLocks(0)
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
