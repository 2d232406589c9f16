// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// `reveille-sensor-proxy` with a real bus, synthetic sensors and a private D-Bus.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(
        if: SensorProxyScene.isThere || SensorProxyScene.isRequired, "no D-Bus or no clients: run Scripts/setup test"))
struct SensorProxyTests {
    private let properties = "org.freedesktop.DBus.Properties"

    @Test func `Claims and releases start no thread beside the main thread and the loop`() throws {
        let scene = try SensorProxyScene()
        let client = try SensorProxyClient(scene)
        for _ in 0..<2 {
            try client.call("ClaimAccelerometer")
            try client.call("ReleaseAccelerometer")
            try scene.waitUntilFollowed([])
        }
        let threads = try ProgramRun(["/proc/\(scene.proxy.process.pid)/task"], program: "ls", in: scene.bus.directory)
        #expect(threads.output.split(separator: "\n").count == 2)
    }

    @Test("a claim is answered with the first measurement, and changes go to the claimant alone") func claim() throws {
        let scene = try SensorProxyScene()
        let (client, other) = (try SensorProxyClient(scene), try SensorProxyClient(scene))
        #expect(try client.call("ClaimAccelerometer") == .null)
        #expect(try client.get("AccelerometerOrientation") == "normal")
        try other.call("ClaimProximity")
        try scene.phone.rotate(to: .landscapeLeft)
        try client.waitForSignal(["AccelerometerOrientation": "right-up"])
        try scene.phone.rotate(to: .faceUp)
        try client.waitForSignal(["AccelerometerTilt": "face-up"])
        #expect(try client.get("AccelerometerOrientation") == "right-up")
        try scene.phone.setNear(true)
        try other.waitForSignal(["ProximityNear": true])
        #expect(try other.signals == [["ProximityNear": true]])
        #expect(try client.signals.allSatisfy { $0["ProximityNear"] == nil })
        #expect(try other.get("AccelerometerTilt") == "face-up")
    }

    @Test("a restart of the bus is not signaled, and later changes are") func restart() throws {
        let scene = try SensorProxyScene()
        let client = try SensorProxyClient(scene)
        try client.call("ClaimAccelerometer")
        try scene.phone.rotate(to: .landscapeRight)
        try client.waitForSignal(["AccelerometerOrientation": "left-up"])
        let count = try client.signals.count
        scene.bus.kill()
        #expect(try client.get("HasAccelerometer") == true)
        #expect(try client.get("AccelerometerOrientation") == "left-up")
        try scene.bus.restart()
        try scene.waitUntilFollowed(["orientation"])
        #expect(try client.get("HasAccelerometer") == true)
        #expect(try client.signals.count == count)
        try scene.phone.rotate(to: .portraitUpsideDown)
        try client.waitForSignal(["AccelerometerOrientation": "bottom-up"])
    }

    @Test("strings with noncharacters of Unicode are refused like other unknown names, and the service continues")
    func noncharacters() throws {
        let scene = try SensorProxyScene()
        let client = try SensorProxyClient(scene)
        // U+FDD0, for which Swift has no literal.
        let text = String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self)
        #expect(try client.get("x" + text) == "UnknownProperty")
        #expect(try client.call("GetAll", [.string(text)], of: properties) == "UnknownInterface")
        #expect(try client.call("Get", [.string(text), "LightLevel"], of: properties) == "UnknownInterface")
        #expect(try client.get("HasAmbientLight") == true)
    }

    @Test("monitor-sensor shows the sensors and their changes") func monitorSensor() throws {
        let scene = try SensorProxyScene()
        try scene.phone.setLight(50)
        let monitor = try scene.startMonitor()
        func waitForLine(_ text: String) throws {
            try wait(for: "'\(text)': \(monitor.output)\(monitor.errors)") { monitor.output.contains(text) }
        }
        // It prints the properties before the claims, and then the signals that arrived with their answers.
        try waitForLine("=== Has accelerometer (orientation: undefined")
        try waitForLine("=== Has ambient light sensor (value: 0.000000, unit: lux)")
        try waitForLine("=== Has proximity sensor (near: 0)")
        try waitForLine("Accelerometer orientation changed: normal")
        try waitForLine("Light changed: 50.000000 (lux)")
        try scene.phone.rotate(to: .landscapeLeft)
        try waitForLine("Accelerometer orientation changed: right-up")
        try scene.phone.setNear(true)
        try waitForLine("Proximity value changed: 1")
        try scene.phone.lightSensor.remove()
        try waitForLine("--- Light sensor disappeared")
        try scene.phone.lightSensor.insert()
        try waitForLine("+++ Light sensor appeared")
        monitor.stop()
        try scene.waitUntilFollowed([])
    }
}
