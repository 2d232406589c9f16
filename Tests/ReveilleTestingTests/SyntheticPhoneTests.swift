// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleTesting
import Testing
import Varlink

/// A synthetic phone, observed by the bus through the real libudev.
@Suite(.timeLimit(.minutes(5))) struct SyntheticPhoneTests {
    private let phone: SyntheticPhone
    private let observer: PhoneObserver

    init() throws {
        phone = try SyntheticPhone()
        observer = try PhoneObserver(phone: phone, bus: phone.startBus())
    }

    @Test("a level is reported in whole percent") func levelIsReported() async throws {
        try phone.battery.setLevel(0.2)
        #expect(try await observer.state(of: "battery")["level"]?.numberValue == 0.2)
        try phone.battery.setLevel(0.204)
        #expect(phone.battery.level == 0.2)
        try phone.battery.setLevel(1)
        #expect(try await observer.state(of: "battery")["level"]?.numberValue == 1)
    }

    @Test("each status, charger, pose and proximity is reported") func statesAreReported() async throws {
        for status in Battery.ChargeStatus.allCases {
            try phone.battery.setStatus(status)
            #expect(try await observer.state(of: "battery")["chargeStatus"]?.stringValue == status.rawValue)
        }
        try phone.plugIn()
        #expect(phone.battery.status == .charging)
        #expect(try await observer.state(of: "battery")["state"] == "charging")
        try phone.unplug()
        #expect(try await observer.state(of: "battery")["state"] == "unplugged")
        for pose in Orientation.Pose.allCases where pose != .unknown {
            try phone.rotate(to: pose)
            #expect(try await observer.state(of: "orientation")["pose"]?.stringValue == pose.rawValue)
        }
        for isNear in [true, false] {
            try phone.setNear(isNear)
            #expect(try await observer.state(of: "proximity") == ["state": isNear ? "near" : "far"])
        }
    }

    @Test("a phone cannot be rotated to an unknown pose") func unknownPoseIsRejected() throws {
        let error = #expect(throws: TestbedError.self) { try phone.rotate(to: .unknown) }
        #expect(error?.description.contains("remove the accelerometer instead") == true)
    }

    @Test("language and settings are read from files of the phone") func filesAreRead() async throws {
        try phone.setLocale("de_DE.UTF-8")
        #expect(try await observer.state(of: "locale")["identifier"] == "de_DE")
        try phone.writeSettings(#"{"theme": "dark"}"#, to: "app.json")
        let domains = try await observer.state(of: "defaults")["domains"]?.arrayValue?.compactMap(\.objectValue) ?? []
        #expect(domains.first { $0["domain"] == "app" }?["keys"] == ["theme"])
    }
}

/// Parts that are removed and inserted.
@Suite(.timeLimit(.minutes(5))) struct SyntheticPartTests {
    @Test("two packs have a common level and one each") func twoBatteriesAreOneLevel() async throws {
        let phone = try SyntheticPhone(batteries: 2)
        let observer = try PhoneObserver(phone: phone, bus: phone.startBus())
        try phone.battery.setLevel(0.2)
        try phone.batteries[1].setLevel(0.4)
        let state = try await observer.state(of: "battery")
        #expect(state["packs"]?.arrayValue?.count == 2)
        #expect(abs((state["level"]?.numberValue ?? 0) - 0.3) < 1e-9)
    }

    @Test("a removed pack disappears, and is reinserted with the state set meanwhile")
    func batteryIsRemovedAndReinserted() async throws {
        let phone = try SyntheticPhone()
        let observer = try PhoneObserver(phone: phone, bus: phone.startBus())
        try phone.battery.remove()
        #expect(!phone.battery.isPresent)
        #expect(try await observer.state(of: "battery")["packs"] == [])
        try phone.battery.setLevel(0.3)
        try phone.battery.insert()
        #expect(try await observer.state(of: "battery")["level"]?.numberValue == 0.3)
        try phone.addBattery()
        #expect(try await observer.state(of: "battery")["packs"]?.arrayValue?.count == 2)
    }

    @Test func attributesKeepTheirLineEnds() throws {
        let testbed = try Testbed()
        let device = try testbed.add(
            subsystem: "platform", name: "device", attributes: ["label": "one\r\ntwo\r", "location": "base"])
        let file = try #require(fopen(testbed.root + device.path + "/label", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = fread(&bytes, 1, bytes.count, file)
        #expect(bytes[..<count].elementsEqual("one\r\ntwo\r\n".utf8))
    }
}
