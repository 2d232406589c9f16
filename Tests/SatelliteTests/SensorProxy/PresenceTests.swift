// SPDX-License-Identifier: Apache-2.0

import ReveilleSensorProxyCore
import Testing

/// Sensors that come and go, and a bus that does.
struct PresenceTests {
    private let has = PropertyEntry("HasAmbientLight", .boolean(true))
    private let hasNot = PropertyEntry("HasAmbientLight", .boolean(false))

    @Test("the presence of a sensor is asked of the bus for each request, and a later request needs a later answer")
    func presenceIsAsked() {
        var scene = ClaimScene(present: [.light])
        #expect(scene.request(.get(.hasAmbientLight), from: "a") == [.check])
        #expect(scene.request(.get(.hasProximity), from: "a") == [])
        #expect(scene.request(.get(.lightLevel), from: "a") == [.answer(3, .value(.number(0)))])
        #expect(scene.handle(.checked([.light])) == [.answer(1, .value(.boolean(true))), .check])
        #expect(scene.handle(.checked([.light, .proximity])) == [.answer(2, .value(.boolean(true)))])
    }

    @Test("all properties are returned in the order of the interface") func allProperties() {
        var scene = ClaimScene(present: [.light])
        #expect(scene.request(.getAll, from: "a") == [.check])
        let values: [PropertyEntry] = [
            PropertyEntry("HasAccelerometer", .boolean(false)),
            PropertyEntry("AccelerometerOrientation", .text("undefined")),
            PropertyEntry("AccelerometerTilt", .text("undefined")), has,
            PropertyEntry("LightLevelUnit", .text("lux")), PropertyEntry("LightLevel", .number(0)),
            PropertyEntry("HasProximity", .boolean(false)), PropertyEntry("ProximityNear", .boolean(false)),
        ]
        #expect(scene.handle(.checked([.light])) == [.answer(1, .values(values))])
    }

    @Test("a sensor that appears is signaled with its first measurement") func appearance() {
        var scene = ClaimScene(present: [.proximity])
        _ = scene.request(.claim(.light), from: "a")
        #expect(scene.handle(.checked([.proximity])) == [])
        #expect(scene.handle(.reading(.light, nil)) == [.answer(1, .done)])
        #expect(scene.handle(.reading(.light, .light(3))) == [.check])
        #expect(
            scene.handle(.checked([.light, .proximity])) == [.signal([has] + ClaimScene.light(3), to: ["a"])])
    }

    @Test("a sensor that is found before its first measurement waits for it") func appearanceWithoutMeasurement() {
        var scene = ClaimScene(present: [.proximity])
        _ = scene.request(.claim(.light), from: "a")
        _ = scene.handle(.reading(.light, nil))
        #expect(scene.handle(.checked([.light, .proximity])) == [])
        #expect(scene.value(.hasAmbientLight) == .boolean(true))
        #expect(scene.handle(.reading(.light, .light(3))) == [.signal([has] + ClaimScene.light(3), to: ["a"])])
    }

    @Test("a sensor that disappears is signaled, loses its measurement and remains claimed") func disappearance() {
        var scene = ClaimScene(present: [.light, .proximity])
        scene.claim(.light, from: "a", reading: .light(4))
        #expect(scene.handle(.reading(.light, nil)) == [.check])
        #expect(scene.handle(.checked([.proximity])) == [.signal([hasNot], to: ["a"])])
        #expect(scene.value(.lightLevel) == .number(0))
        #expect(scene.handle(.reading(.light, .light(6))) == [.check])
        #expect(
            scene.handle(.checked([.light, .proximity])) == [.signal([has] + ClaimScene.light(6), to: ["a"])])
    }

    @Test("a sensor that nobody claims appears without a signal") func unclaimedAppearance() {
        var scene = ClaimScene(present: [.proximity])
        _ = scene.request(.getAll, from: "a")
        #expect(scene.handle(.checked([.light, .proximity])).count == 1)
        #expect(scene.value(.hasAmbientLight) == .boolean(true))
    }

    @Test("a bus that is back within thirty seconds changes nothing") func shortAbsence() {
        var scene = ClaimScene(present: [.accelerometer])
        scene.claim(.accelerometer, from: "a", reading: .orientation(.leftUp, .vertical))
        #expect(scene.handle(.reachable(false)) == [])
        #expect(scene.request(.get(.hasAccelerometer), from: "a") == [.answer(2, .value(.boolean(true)))])
        #expect(scene.request(.claim(.light), from: "b") == [.verify("b"), .answer(3, .done)])
        #expect(scene.wait(SensorClaims.absenceTolerance - .seconds(1)) == [])
        #expect(scene.handle(.reachable(true)) == [.follow(.light), .check])
        #expect(scene.handle(.checked([.accelerometer])) == [])
        #expect(scene.value(.accelerometerOrientation) == .text("left-up"))
        #expect(scene.deadline == nil)
    }

    @Test("the sensors of a bus that stays away are lost, and return with it") func longAbsence() {
        var scene = ClaimScene(present: [.light])
        scene.claim(.light, from: "a", reading: .light(4))
        _ = scene.handle(.reachable(false))
        #expect(scene.deadline == scene.now + SensorClaims.absenceTolerance)
        #expect(
            scene.wait(SensorClaims.absenceTolerance) == [.unfollow(.light), .signal([hasNot], to: ["a"])])
        #expect(scene.deadline == nil)
        #expect(scene.handle(.reachable(true)) == [.follow(.light), .check])
        #expect(scene.handle(.checked([.light])) == [])
        #expect(scene.handle(.reading(.light, .light(4))) == [.signal([has] + ClaimScene.light(4), to: ["a"])])
    }

    @Test("requests during a question to a bus that is lost are answered with what is known") func lostDuringCheck() {
        var scene = ClaimScene(present: [.light])
        #expect(scene.request(.get(.hasAmbientLight), from: "a") == [.check])
        #expect(scene.request(.get(.hasProximity), from: "a") == [])
        #expect(scene.handle(.reachable(false)) == [])
        #expect(
            scene.handle(.checked(nil))
                == [.answer(1, .value(.boolean(true))), .answer(2, .value(.boolean(false)))])
    }

    @Test("a subscription that the bus refuses answers its claims, and the next claim tries again") func refusal() {
        var scene = ClaimScene(present: [.light])
        _ = scene.request(.claim(.light), from: "a")
        #expect(scene.handle(.unfollowed(.light)) == [.answer(1, .done)])
        _ = scene.handle(.checked([.light]))
        #expect(scene.request(.claim(.light), from: "b") == [.verify("b"), .follow(.light), .check])
    }

    @Test("a subscription that the bus refuses is tried again, with pauses that double, while there are claims")
    func retries() {
        var scene = ClaimScene(present: [.light])
        _ = scene.request(.claim(.light), from: "a")
        _ = scene.handle(.checked([.light]))
        for seconds in [1, 2, 4, 8, 16, 32, 64, 64] {
            _ = scene.handle(.unfollowed(.light))
            #expect(scene.deadline == scene.now + .seconds(seconds))
            #expect(scene.wait(.seconds(seconds)) == [.follow(.light)])
        }
        _ = scene.handle(.reading(.light, .light(1)))
        #expect(scene.deadline == nil)
        _ = scene.handle(.unfollowed(.light))
        #expect(scene.deadline == scene.now + .seconds(1))
        _ = scene.handle(.left("a"))
        #expect(scene.deadline == nil)
    }

    @Test("the program does not end while a caller waits for a slow bus") func slowBus() {
        var scene = ClaimScene(present: [])
        #expect(scene.request(.get(.hasAmbientLight), from: "a") == [.check])
        #expect(scene.deadline == nil)
        #expect(scene.wait(SensorClaims.idleTime * 2) == [])
        #expect(scene.handle(.checked([])) == [.answer(1, .value(.boolean(false)))])
        #expect(scene.deadline == scene.now + SensorClaims.idleTime)
        #expect(scene.wait(SensorClaims.idleTime) == [.end])
    }

    @Test("without sensors and claims, the program ends ten seconds after the last request") func end() {
        var scene = ClaimScene(present: [])
        #expect(scene.wait(.seconds(9)) == [])
        #expect(scene.request(.get(.lightLevel), from: "a") == [.answer(1, .value(.number(0)))])
        #expect(scene.wait(.seconds(9)) == [])
        #expect(scene.wait(.seconds(1)) == [.end])
    }

    @Test("a claim, a sensor or an absent bus postpones the end") func noEnd() {
        var scene = ClaimScene(present: [])
        _ = scene.request(.claim(.light), from: "a")
        _ = scene.handle(.reading(.light, nil))
        #expect(scene.deadline == nil)
        _ = scene.handle(.checked([]))
        _ = scene.handle(.left("a"))
        #expect(scene.deadline == scene.now + SensorClaims.idleTime)
        _ = scene.handle(.reachable(false))
        #expect(scene.deadline == nil)
        _ = scene.handle(.reachable(true))
        _ = scene.handle(.checked([.light]))
        #expect(scene.deadline == nil)
    }

    @Test("nothing is waited for while nobody claims a sensor of the device") func idle() {
        var scene = ClaimScene(present: [.light])
        #expect(scene.deadline == nil)
        scene.claim(.light, from: "a", reading: .light(1))
        #expect(scene.deadline == nil)
        _ = scene.handle(.left("a"))
        #expect(scene.deadline == nil)
    }
}
