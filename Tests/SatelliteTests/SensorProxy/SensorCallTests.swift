// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSensorProxyCore
import Testing

struct SensorCallTests {
    private static let main = "net.hadess.SensorProxy"
    private static let properties = "org.freedesktop.DBus.Properties"

    private func request(
        _ interface: String?, _ member: String, _ strings: [String] = [], signature: String? = nil,
        on object: SensorObject = .sensors
    ) throws(SensorRefusal) -> SensorRequest {
        try SensorRequest(
            SensorCall(
                object, interface: interface, member: member,
                signature: signature ?? String(repeating: "s", count: strings.count), strings: strings))
    }

    @Test("each sensor can be claimed and released, with the interface or without", arguments: Sensor.allCases)
    func claims(_ sensor: Sensor) throws {
        #expect(try request(Self.main, "Claim" + sensor.rawValue) == .claim(sensor))
        #expect(try request(nil, "Release" + sensor.rawValue) == .release(sensor))
    }

    @Test("each property can be read", arguments: SensorProperty.allCases)
    func reads(_ property: SensorProperty) throws {
        #expect(try request(Self.properties, "Get", [Self.main, property.rawValue]) == .get(property))
        #expect(try request(Self.properties, "Get", ["", property.rawValue]) == .get(property))
    }

    @Test("the compass is never present, and can be claimed") func compass() throws {
        let interface = Self.main + ".Compass"
        #expect(try request(interface, "ClaimCompass", on: .compass) == .answer(.done))
        #expect(
            try request(Self.properties, "Get", [interface, "HasCompass"], on: .compass)
                == .answer(.value(.boolean(false)))
        )
        #expect(
            try request(Self.properties, "Get", [interface, "CompassHeading"], on: .compass)
                == .answer(.value(.number(-1)))
        )
    }

    @Test(
        "a bad call is refused with the D-Bus error for it",
        arguments: [
            (nil, "ClaimCompass", [], nil, "UnknownMethod"),
            (main, "Claim", [], nil, "UnknownMethod"),
            (main, "Get", ["", "LightLevel"], nil, "UnknownMethod"),
            (main, "ClaimLight", ["now"], nil, "InvalidArgs"),
            (main, "ClaimLight", [], "ai", "InvalidArgs"),
            ("org.example", "ClaimLight", [], nil, "UnknownInterface"),
            (properties, "ClaimLight", [], nil, "UnknownMethod"),
            (properties, "Get", [main], nil, "InvalidArgs"),
            (properties, "Get", [main, "Colour"], nil, "UnknownProperty"),
            (properties, "Get", ["org.example", "LightLevel"], nil, "UnknownInterface"),
            (properties, "Get", [main + ".Compass", "HasCompass"], nil, "UnknownInterface"),
            (properties, "GetAll", ["org.example"], nil, "UnknownInterface"),
            (properties, "Set", [main, "LightLevel"], "ssv", "PropertyReadOnly"),
            (properties, "Set", [main, "Colour"], "ssv", "UnknownProperty"),
            (properties, "Set", [main, "LightLevel"], "ss", "InvalidArgs"),
        ] as [(String?, String, [String], String?, String)])
    func refusals(interface: String?, member: String, strings: [String], signature: String?, error: String) {
        let refusal = #expect(throws: SensorRefusal.self) {
            try request(interface, member, strings, signature: signature)
        }
        #expect(refusal?.name == "org.freedesktop.DBus.Error." + error)
        #expect(refusal?.message.isEmpty == false)
    }

    @Test(
        "the pose of the device is the edge that is up, and a flat device keeps its orientation",
        arguments: [
            (.portrait, nil, .normal, .vertical), (.portraitUpsideDown, nil, .bottomUp, .vertical),
            (.landscapeLeft, nil, .rightUp, .vertical), (.landscapeRight, nil, .leftUp, .vertical),
            (.faceUp, nil, .undefined, .faceUp), (.faceUp, .landscapeLeft, .rightUp, .faceUp),
            (.faceDown, .portrait, .normal, .faceDown),
        ] as [(Orientation.Pose, Orientation.Pose?, Measurement.ScreenOrientation, Measurement.Tilt)])
    func poses(
        pose: Orientation.Pose, planar: Orientation.Pose?, orientation: Measurement.ScreenOrientation,
        tilt: Measurement.Tilt
    ) {
        let reading = Reading.orientation(Orientation(pose: pose, planar: pose.isPlanar ? pose : planar))
        #expect(Measurement(reading) == .orientation(orientation, tilt))
    }

    @Test("a sensor that is missing has no measurement") func missing() {
        #expect(Measurement(.orientation(.unknown)) == nil)
        #expect(Measurement(.light(.unknown)) == nil)
        #expect(Measurement(.proximity(.unknown)) == nil)
        #expect(Measurement(.light(Light(lux: 12.5))) == .light(12.5))
        #expect(Measurement(.proximity(.near)) == .isNear(true))
    }

    @Test("the description lists every method and property") func introspection() throws {
        guard case .answer(.description(let text)) = try request("org.freedesktop.DBus.Introspectable", "Introspect")
        else { return #expect(Bool(false)) }
        for property in SensorProperty.allCases { #expect(text.contains("<property name=\"\(property.rawValue)\"")) }
        for sensor in Sensor.allCases { #expect(text.contains("<method name=\"Claim\(sensor.rawValue)\"/>")) }
        #expect(text.contains("<node name=\"Compass\"/>"))
    }
}
