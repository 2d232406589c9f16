// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// A light sensor, with the real libudev and the real program.
@Suite(.blocking, .timeLimit(.minutes(10))) struct LightTests {
    private static let configuration = "{ light: { sampleInterval: 0.02 }, proximity: { sampleInterval: 0.02 } }"

    @Test func stepsOfTheLightAreEvents() throws {
        let phone = try SyntheticPhone()
        let bus = try BusProcess(configuration: Self.configuration, phone: phone)
        let subscriber = try bus.subscribe(#"{"aspects":["light"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["light"] == ["lux": 100.0])
        try phone.setLight(109)
        try phone.setLight(120)
        let event = try subscriber.wait(for: "light") { $0["lux"] != 100.0 }
        #expect(event["light"] == ["lux": 120.0])
        try phone.lightSensor.remove()
        try subscriber.wait(for: "light") { $0["lux"] == JSON.null }
        try phone.lightSensor.insert()
        try subscriber.wait(for: "light") { $0["lux"] == 120.0 }
    }

    @Test("a value in lux is preferred, and needs no scale") func processedValueIsPreferred() throws {
        let testbed = try Testbed()
        _ = try testbed.add(
            subsystem: "iio", name: "iio:device0",
            attributes: ["in_illuminance0_input": "42.5", "in_illuminance0_raw": "7", "in_illuminance0_scale": "0"],
            properties: ["DEVTYPE": "iio_device"])
        let bus = try BusProcess(environment: testbed.environment)
        #expect(try bus.client().state(of: "light")["light"] == ["lux": 42.5])
    }

    @Test(
        "an impossible value keeps the last one, and other aspects are on time",
        arguments: ["nan", "1e400"])
    func impossibleValueIsIgnored(value: String) throws {
        let phone = try SyntheticPhone()
        let bus = try BusProcess(configuration: Self.configuration, phone: phone)
        let subscriber = try bus.subscribe(#"{"aspects":["light","proximity"]}"#)
        try phone.lightSensor.device?.set("in_illuminance_raw", value)
        try phone.setNear(true)
        try subscriber.wait(for: "proximity") { $0["state"] == "near" }
        #expect(try bus.client().state(of: "light")["light"] == ["lux": 100.0])
        try wait(for: "the reason in the log") { bus.log.contains("light: ") }
        try phone.setLight(7)
        try subscriber.wait(for: "light") { $0["lux"] == 7.0 }
    }

    @Test("a sensor whose scale is not positive is unavailable, with the reason", arguments: ["0", ""])
    func scaleThatIsNotPositiveIsTheReason(scale: String) throws {
        let testbed = try Testbed()
        _ = try testbed.add(
            subsystem: "iio", name: "iio:device0",
            attributes: ["in_illuminance_raw": "7", "in_illuminance_scale": scale],
            properties: ["DEVTYPE": "iio_device"])
        let bus = try BusProcess(environment: testbed.environment)
        #expect(try bus.client().state(of: "light")["light"] == ["lux": nil])
        let reason = try bus.description(of: "light")["reason"]?.stringValue
        #expect(reason?.contains("ignored: its scale is") == true, "\(reason ?? "")")
    }
}
