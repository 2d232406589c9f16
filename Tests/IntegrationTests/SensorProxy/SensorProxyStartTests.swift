// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// The start and the end of `reveille-sensor-proxy`.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(
        if: SensorProxyScene.isThere || SensorProxyScene.isRequired, "no D-Bus or no clients: run Scripts/setup test"))
struct SensorProxyStartTests {
    @Test("a second proxy exits with 69 and names the reason, and the first continues") func nameTaken() throws {
        let scene = try SensorProxyScene()
        let second = try scene.startAnother()
        #expect(second.process.wait() == EX_UNAVAILABLE)
        #expect(second.errors.contains("net.hadess.SensorProxy: another program has this name"))
        #expect(try SensorProxyClient(scene).get("HasProximity") == true)
    }

    @Test("without a bus or a D-Bus, the proxy exits with 69 and names the address") func noBus() throws {
        let scene = try SensorProxyScene()
        let noBus = try scene.startAnother(["--address", "unix:/nowhere/bus"])
        #expect(noBus.process.wait() == EX_UNAVAILABLE)
        #expect(noBus.errors.contains("/nowhere/bus"))
        let noDBus = try scene.startAnother([], ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere/dbus"])
        #expect(noDBus.process.wait() == EX_UNAVAILABLE)
        #expect(noDBus.errors.contains("D-Bus"))
        let invalid = try scene.startAnother(["--address", "tcp:1"])
        #expect(invalid.process.wait() == EX_USAGE)
    }

    @Test("the policy lets another user read and claim, and refuses the name with 77", .enabled(if: geteuid() == 0))
    func policy() throws {
        let scene = try SensorProxyScene()
        let call = ["busctl", "--system", "call", SensorProxyClient.name, SensorProxyClient.path]
        let claim = try scene.runAsOther(call + [SensorProxyClient.name, "ClaimLight"])
        #expect(claim.code == 0, "\(claim.errors)")
        let read = call + ["org.freedesktop.DBus.Properties", "Get", "ss", SensorProxyClient.name, "HasAmbientLight"]
        #expect(try scene.runAsOther(read).output == "v b true\n")
        let other = try scene.runAsOther([try scene.copyOfProgram()])
        #expect(other.code == EX_NOPERM)
        #expect(other.errors.contains("refuses the name"))
    }

    @Test("a device without sensors answers, and the proxy ends when nobody asks") func noSensors() throws {
        let phone = try SyntheticPhone(hasAccelerometer: false, hasProximitySensor: false)
        try phone.lightSensor.remove()
        let scene = try SensorProxyScene(phone)
        let client = try SensorProxyClient(scene)
        #expect(try client.get("HasAccelerometer") == false)
        #expect(try client.get("HasAmbientLight") == false)
        #expect(scene.proxy.process.wait() == 0)
        #expect(scene.proxy.errors.contains("no accelerometer, light or proximity sensor"))
    }
}
