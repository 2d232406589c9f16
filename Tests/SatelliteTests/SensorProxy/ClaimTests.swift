// SPDX-License-Identifier: Apache-2.0

import ReveilleSensorProxyCore
import Testing

/// Claims as values: inputs go in, effects come out.
struct ClaimTests {
    @Test("the first claim of a sensor subscribes, and its answer waits for the first reading")
    func firstClaim() {
        var scene = ClaimScene(present: [.accelerometer])
        #expect(
            scene.request(.claim(.accelerometer), from: "a")
                == [.watchCallers(true), .verify("a"), .follow(.accelerometer), .check])
        #expect(
            scene.handle(.reading(.accelerometer, .orientation(.normal, .vertical)))
                == [.signal(ClaimScene.upright, to: ["a"]), .answer(1, .done)])
        #expect(scene.value(.accelerometerOrientation) == .text("normal"))
    }

    @Test("a claim is answered without a reading after three seconds, and the reading is still delivered")
    func claimTimeout() {
        var scene = ClaimScene(present: [.light])
        _ = scene.request(.claim(.light), from: "a")
        #expect(scene.deadline == scene.now + SensorClaims.claimTimeout)
        #expect(scene.wait(SensorClaims.claimTimeout) == [.answer(1, .done)])
        #expect(scene.deadline == nil)
        #expect(scene.handle(.reading(.light, .light(5))) == [.signal(ClaimScene.light(5), to: ["a"])])
    }

    @Test("further claims neither subscribe again nor count") func furtherClaims() {
        var scene = ClaimScene(present: [.proximity])
        scene.claim(.proximity, from: "a", reading: .isNear(false))
        #expect(scene.request(.claim(.proximity), from: "a") == [.answer(2, .done)])
        #expect(scene.request(.claim(.proximity), from: "b") == [.verify("b"), .answer(3, .done)])
        #expect(scene.request(.release(.proximity), from: "a") == [.answer(4, .done)])
        #expect(
            scene.request(.release(.proximity), from: "b")
                == [.unfollow(.proximity), .answer(5, .done), .watchCallers(false)])
        #expect(scene.request(.release(.proximity), from: "b") == [.answer(6, .done)])
    }

    @Test("a second claim during the start waits for the first reading too") func claimDuringStart() {
        var scene = ClaimScene(present: [.light])
        _ = scene.request(.claim(.light), from: "a")
        #expect(scene.request(.claim(.light), from: "b") == [.verify("b")])
        #expect(
            scene.handle(.reading(.light, .light(7)))
                == [.signal(ClaimScene.light(7), to: ["a", "b"]), .answer(1, .done), .answer(2, .done)])
    }

    @Test("changes go to the claimants of their sensor alone") func changesGoToClaimants() {
        var scene = ClaimScene(present: [.light, .proximity])
        scene.claim(.light, from: "a", reading: .light(1))
        scene.claim(.proximity, from: "b", reading: .isNear(false))
        #expect(scene.handle(.reading(.light, .light(2))) == [.signal(ClaimScene.light(2), to: ["a"])])
        let near = PropertyEntry("ProximityNear", .boolean(true))
        #expect(scene.handle(.reading(.proximity, .isNear(true))) == [.signal([near], to: ["b"])])
        #expect(scene.handle(.reading(.proximity, .isNear(true))) == [])
    }

    @Test("only the property that changed is signaled of an accelerometer") func changedPropertyAlone() {
        var scene = ClaimScene(present: [.accelerometer])
        scene.claim(.accelerometer, from: "a", reading: .orientation(.normal, .vertical))
        let tilt = PropertyEntry("AccelerometerTilt", .text("face-up"))
        #expect(scene.handle(.reading(.accelerometer, .orientation(.normal, .faceUp))) == [.signal([tilt], to: ["a"])])
    }

    @Test("a claimant that leaves releases everything, and its waiting call is forgotten") func leaving() {
        var scene = ClaimScene(present: [.light, .proximity])
        scene.claim(.light, from: "a", reading: .light(1))
        _ = scene.request(.claim(.proximity), from: "a")
        #expect(
            scene.handle(.left("a"))
                == [.unfollow(.light), .forget(2), .unfollow(.proximity), .watchCallers(false)])
        #expect(scene.handle(.left("a")) == [])
        #expect(scene.deadline == nil)
    }

    @Test("a release answers the caller's claim that still waits") func releaseDuringStart() {
        var scene = ClaimScene(present: [.light])
        _ = scene.request(.claim(.light), from: "a")
        #expect(
            scene.request(.release(.light), from: "a")
                == [.answer(1, .done), .unfollow(.light), .answer(2, .done), .watchCallers(false)])
    }

    @Test("a reading that arrives after the release changes nothing") func lateReading() {
        var scene = ClaimScene(present: [.light])
        scene.claim(.light, from: "a", reading: .light(1))
        _ = scene.request(.release(.light), from: "a")
        #expect(scene.handle(.reading(.light, .light(9))) == [])
        #expect(scene.value(.lightLevel) == .number(1))
    }

    @Test("a thousand claimants share one subscription, and each is notified") func thousandClaimants() {
        var scene = ClaimScene(present: [.light])
        scene.claim(.light, from: "0", reading: .light(1))
        let names = Set((0..<1000).map(String.init))
        for name in names.subtracting(["0"]) {
            let effects = scene.request(.claim(.light), from: name)
            #expect(effects == [.verify(name), .answer(scene.lastNumber, .done)])
        }
        #expect(scene.handle(.reading(.light, .light(2))) == [.signal(ClaimScene.light(2), to: names)])
        var effects: [SensorClaims.Effect] = []
        for name in names { effects += scene.handle(.left(name)) }
        #expect(effects == [.unfollow(.light), .watchCallers(false)])
    }
}
