// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleSystem
import ReveilleTesting
import Testing

/// `reveille-location` with a real bus and a real gpsd.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(if: FakeReceiver.isThere || FakeReceiver.isRequired, "no gpsd: run Scripts/setup test"))
struct LocationTests {
    private typealias Location = LocationScene.Location
    private let first = LocationScene.warmUp

    private func take(_ count: Int, from subscription: Reveille.Subscription) async throws -> [(Event, Location)] {
        var taken: [(Event, Location)] = []
        while taken.count < count {
            let event = try #require(try await subscription.next())
            taken.append((event, try #require(try event.value(as: Location.self))))
        }
        return taken
    }

    @Test("B181: hold delivers the track of 40 fixes in order on wake, and the latest 100 of 150")
    func holdDeliversTheTrack() async throws {
        let scene = try await LocationScene(ReceiverLog(fixes: first + 190))
        let sleeper = try await scene.sleeper(.hold(limit: 100))
        scene.receiver.send(fixes: 40)
        try await scene.waitForFix(first + 39)
        try await sleeper.enterForeground()
        let track = try await take(40, from: sleeper)
        #expect(track.map(\.1.time) == (first..<first + 40).map(ReceiverLog.time))
        for (index, (event, location)) in track.enumerated() {
            #expect(event.changeCount == 1 && event.droppedCount == 0)
            #expect(abs(location.latitude - ReceiverLog.latitude(first + index)) < 1e-8)
        }

        try await sleeper.enterBackground()
        scene.receiver.send(fixes: 150)
        try await scene.waitForFix(first + 189)
        try await sleeper.enterForeground()
        let latest = try await take(100, from: sleeper)
        #expect(latest.map(\.1.time) == (first + 90..<first + 190).map(ReceiverLog.time))
        #expect(latest.map(\.0.droppedCount).reduce(0, +) == 50)
    }

    @Test("B182: coalesce delivers the newest fix, the number of fixes and the length of the path")
    func coalesceDeliversThePath() async throws {
        let scene = try await LocationScene(ReceiverLog(fixes: first + 30))
        let before = try #require(try await scene.location).distance
        let sleeper = try await scene.sleeper(.coalesce)
        scene.receiver.send(fixes: 30)
        try await scene.waitForFix(first + 29)
        try await sleeper.enterForeground()
        let (event, location) = try #require(try await take(1, from: sleeper).first)
        #expect(event.changeCount == 30)
        #expect(location.time == ReceiverLog.time(first + 29))
        #expect(abs(location.distance - before - 30 * ReceiverLog.step) < 0.1)
        #expect(try await scene.location == location)
    }

    @Test("B183: immediate delivers each fix in the background at once") func immediateDeliversEach() async throws {
        let scene = try await LocationScene(ReceiverLog(fixes: first + 5))
        let sleeper = try await scene.sleeper(.immediate)
        for index in first..<first + 5 {
            scene.receiver.send(fixes: 1)
            let (event, location) = try #require(try await take(1, from: sleeper).first)
            #expect(event.changeCount == 1)
            #expect(location.time == ReceiverLog.time(index))
        }
    }

    @Test("B185: without gpsd nothing is published, and the reason is reported once; the location returns with gpsd")
    func missingGPSDIsReported() async throws {
        let scene = try await LocationScene(ReceiverLog(fixes: first))
        let sleeper = try await scene.sleeper(.coalesce)
        scene.receiver.stop()
        try await scene.waitForWithdrawal()
        let address = "127.0.0.1:\(scene.receiver.port)"
        let refusal = "gpsd at \(address) cannot be reached: connect: Connection refused; retrying\n"
        try wait(for: "a refusal: \(scene.satellite.errors)") { scene.satellite.errors.contains(refusal) }
        #expect(try await scene.device.check(LocationScene.name) != .yes)
        try await sleeper.enterForeground()
        #expect(try #require(try await sleeper.next()).value(as: Location.self) == nil)
        try await scene.restartReceiver(ReceiverLog(fixes: first))
        #expect(try await scene.location != nil)
        // A gpsd that starts slowly can accept a connection and refuse the next one, which is another outage.
        let lines = scene.satellite.errors.split(separator: "\n")
        #expect(zip(lines, lines.dropFirst()).allSatisfy { $0 != $1 }, "\(lines)")
    }

    @Test("B186: the receiver rests while all subscribers sleep without a track, and starts again on a wake")
    func receiverRests() async throws {
        let scene = try await LocationScene(ReceiverLog(fixes: first + 2))
        let track = try await scene.sleeper(.hold(limit: 10))
        let sleeper = try await scene.sleeper(.coalesce)
        scene.endNeed()
        // The one that wants the track needs it.
        scene.receiver.send(fixes: 1)
        try await scene.waitForFix(first)
        #expect(!scene.satellite.errors.contains("nobody needs"))
        track.cancel()
        try scene.waitForReport("nobody needs the location")
        // The last location stays for the time of a silent receiver.
        #expect(try await scene.location != nil)
        try await sleeper.enterForeground()
        try scene.waitForReport("connected to gpsd", 2)
        #expect(try await take(1, from: sleeper).first?.0.changeCount == 1)
    }

    @Test("the location ends with the program, and survives a second program and a restart of the bus") func lifetime()
        async throws
    {
        let scene = try await LocationScene(ReceiverLog(fixes: first + 1))
        let second = try scene.bus.run(["--gpsd", "127.0.0.1:\(scene.receiver.port)"], program: LocationScene.program)
        #expect(second.code == 75)
        #expect(try await scene.location != nil, "the second one withdraws nothing")
        #expect(scene.bus.stop() == 0)
        try scene.bus.restart()
        while (try? await scene.location?.time) != ReceiverLog.time(first - 1) { backOff() }
        scene.receiver.send(fixes: 1)
        try await scene.waitForFix(first)
        scene.satellite.process.signal(SIGKILL)
        try await scene.waitForWithdrawal()
    }

    @Test(
        "B187: another user is refused with PermissionDenied",
        .enabled(if: geteuid() == 0, "only root can switch users"))
    func otherUserIsRefused() throws {
        let bus = try BusProcess()
        let program = bus.directory.path + "/location"
        try ChildProcess(["cp", LocationScene.program, program]).wait()
        chmod(program, 0o755)
        let run = try OtherUser.run([program], in: bus.directory, environment: ["REVEILLE_ADDRESS": bus.address])
        #expect(run.code == 77)
        #expect(run.errors.contains("PermissionDenied"), "\(run.errors)")
    }

    @Test("bad arguments and a missing bus are errors that name them") func badArguments() throws {
        let bus = try BusProcess()
        func run(_ arguments: [String]) throws -> ProgramRun {
            try bus.run(arguments, program: LocationScene.program)
        }
        for argument in ["", ":2947", "host:", "host:0", "host:65536", "host:1:2", "[::1", "[::1]2947"] {
            let run = try run(["--gpsd", argument])
            #expect(run.code == 64 && run.errors.contains("--gpsd"), "\(argument): \(run.errors)")
        }
        #expect(try run(["--distance", "-1"]).code == 64)
        let missing = try run(["--address", "unix:/nothing/bus"])
        #expect(missing.code == 69 && missing.errors.contains("/nothing/bus"), "\(missing.errors)")
        #expect(try run(["--version"]).output == bus.run(["--version"]).output)
    }
}
