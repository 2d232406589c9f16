// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing
import Varlink

/// Devices that a person chooses, in the configuration or by udev's rules.
@Suite(.blocking, .timeLimit(.minutes(10))) struct DeviceChoiceTests {
    private let phone: SyntheticPhone

    init() throws {
        phone = try SyntheticPhone()
    }

    private func state(of aspect: String, _ configuration: String) throws -> JSONObject {
        let bus = try BusProcess(configuration: configuration, phone: phone)
        return try #require(try bus.client().state(of: aspect)[aspect]?.objectValue)
    }

    private func doctor(_ configuration: String = "{}") throws -> String {
        let directory = try TemporaryDirectory()
        try directory.write(configuration, to: "config.json5")
        return try ProgramRun(
            ["doctor", "--config", directory.path + "/config.json5"], in: directory,
            environment: phone.testbed.environment
        ).output
    }

    @Test func suppliesAreIgnoredOrCounted() throws {
        try phone.plugIn()
        let pack = try phone.addBattery()
        try pack.setLevel(0.2)
        #expect(try state(of: "battery", "{}")["level"] == 0.5)
        #expect(try state(of: "battery", #"{ battery: { ignore: ["battery2"] } }"#)["level"] == 0.8)
        #expect(try state(of: "power", #"{ battery: { ignore: ["battery2"] } }"#)["packs"]?.arrayValue?.count == 1)
        #expect(try doctor().contains("battery.ignore"))
        #expect(try doctor(#"{ battery: { ignore: ["battery2"] } }"#).contains("ignored, as was chosen"))
        try #require(pack.device).set("scope", "Device")
        #expect(try state(of: "battery", "{}")["level"] == 0.8)
        #expect(try state(of: "battery", #"{ battery: { count: ["battery2"] } }"#)["level"] == 0.5)
    }

    @Test func backlightIsChosen() throws {
        _ = try phone.testbed.add(
            subsystem: "backlight", name: "other",
            attributes: ["brightness": "9", "max_brightness": "10", "type": "raw"])
        #expect(try state(of: "display", "{}")["brightness"] == 0.9)
        #expect(try state(of: "display", #"{ display: { backlight: "panel" } }"#)["brightness"] == 0.5)
        #expect(try doctor().contains(#"to use panel, set display.backlight to "panel""#))
        // A backlight that is not there leaves the usual choice.
        #expect(try state(of: "display", #"{ display: { backlight: "none" } }"#)["brightness"] == 0.9)
        _ = try phone.testbed.add(
            subsystem: "backlight", name: "third",
            attributes: ["brightness": "1", "max_brightness": "10", "type": "raw"],
            properties: ["REVEILLE_BACKLIGHT": "1"])
        #expect(try state(of: "display", "{}")["brightness"] == 0.1)
    }

    @Test func accelerometerIsChosen() throws {
        let hub = try phone.testbed.add(subsystem: "i2c", name: "i2c-KIOX020A:00")
        _ = try phone.testbed.add(
            subsystem: "iio", name: "iio:device7", parent: hub,
            attributes: [
                "name": "kx022", "in_accel_x_raw": "-980", "in_accel_y_raw": "0", "in_accel_z_raw": "0",
                "in_accel_scale": "0.010007",
            ], properties: ["DEVTYPE": "iio_device"])
        let usual = try state(of: "orientation", "{}")["pose"]
        let chosen = #"{ orientation: { sensor: "i2c-KIOX020A:00" } }"#
        #expect(usual == "portrait")
        #expect(try state(of: "orientation", chosen)["pose"] != usual)
        let missing = try BusProcess(configuration: #"{ orientation: { sensor: "none" } }"#, phone: phone)
        #expect(try missing.client().state(of: "orientation")["orientation"]?.objectValue?["pose"] == usual)
        let source = try missing.description(of: "orientation")["source"]?.stringValue
        #expect(source?.hasSuffix(", not none, which was chosen and is missing") == true, "\(source ?? "")")
        #expect(try doctor().contains("set orientation.sensor to a name"))
        #expect(try doctor(chosen).contains("ignored: another one was chosen"))
    }
}
