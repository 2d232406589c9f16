// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Attributes that cannot be read while their devices are there.
@Suite(.blocking, .timeLimit(.minutes(10))) struct FailedReadTests {
    private let phone: SyntheticPhone
    private let faults: DeviceFaults

    init() throws {
        phone = try SyntheticPhone()
        try phone.battery.setPower(-3)
        try phone.addBattery().setPower(-2)
        try phone.lid.set(true)
        try phone.connect(over: .wifi)
        try #require(phone.screen.device).set("edid", bytes: Self.edid)
        try #require(phone.accelerometer.device).set("mount_matrix", "0, 1, 0; -1, 0, 0; 0, 0, 1")
        try #require(phone.accelerometer.device).set("label", "accel-display")
        faults = try DeviceFaults()
    }

    /// The files of all devices, as in `battery/capacity`.
    private func files() throws -> [String] {
        let devices = phone.testbed.root + "/sys/devices"
        let found = try ProgramRun(
            [devices, "-type", "f", "-printf", #"%P\n"#], program: "find", in: TemporaryDirectory()
        ).output
        return Set(
            found.split(separator: "\n").map { path in path.split(separator: "/").suffix(2).joined(separator: "/") }
        ).sorted()
    }

    private static let aspects = [
        "battery", "power", "proximity", "orientation", "light", "display", "network", "switches",
    ]

    private func states(_ client: RawClient) throws -> [JSONObject] {
        let names = Self.aspects.map { #""\#($0)""# }.joined(separator: ",")
        return try client.call("GetState", #"{"aspects":[\#(names)]}"#).parameters.events
    }

    @Test("B247: a read that fails says nothing, whatever the attribute", arguments: [EIO, ENODEV, ETIMEDOUT, EAGAIN])
    func failedReadSaysNothing(error: Int32) throws {
        let configuration = "{ battery: { pollInterval: 3600 } }"
        let bus = try BusProcess(configuration: configuration, phone: phone, environment: faults.environment)
        let client = try bus.client()
        // All attributes have been read before one of them fails.
        for aspect in Self.aspects { _ = try bus.subscribe(#"{"aspects":["\#(aspect)"]}"#) }
        try client.call("Refresh")
        let before = try states(client)
        for file in try files() {
            try faults.fail(file, with: error)
            try client.call("Refresh")
            let failing = try states(client)
            faults.heal(file)
            try client.call("Refresh")
            let after = try states(client)
            #expect(failing == before && after == before, "\(file)")
        }
    }

    @Test func attributeThatFailsAtTheNextPollHasNoValue() throws {
        let configuration = "{ battery: { pollInterval: 0.1, settleInterval: 10, levelInterval: 0 } }"
        try phone.batteries[1].remove()
        try phone.battery.remove()
        let pack = try phone.testbed.add(
            subsystem: "power_supply", name: "BAT0", attributes: ["type": "Battery", "capacity": "80"])
        let bus = try BusProcess(configuration: configuration, phone: phone, environment: faults.environment)
        let subscriber = try bus.subscribe(#"{"aspects":["battery"]}"#)
        try faults.fail("BAT0/capacity", with: ETIMEDOUT)
        try subscriber.wait(for: "battery") { $0["level"]?.isNull == true }
        faults.heal("BAT0/capacity")
        try subscriber.wait(for: "battery") { $0["level"] == 0.8 }
        // An attribute that is gone needs no second read.
        try faults.fail("BAT0/capacity", with: EIO)
        unlink(phone.testbed.root + pack.path + "/capacity")
        try pack.uevent("change")
        try subscriber.wait(for: "battery") { $0["level"]?.isNull == true }
    }

    /// The base block of a panel of 60 by 130 mm.
    private static let edid: [UInt8] = {
        var bytes = [UInt8](repeating: 0, count: 128)
        bytes.replaceSubrange(0..<8, with: [0, 255, 255, 255, 255, 255, 255, 0])
        bytes.replaceSubrange(18..<20, with: [1, 4])
        bytes.replaceSubrange(21..<23, with: [6, 13])
        bytes[127] = UInt8(truncatingIfNeeded: 256 - bytes.reduce(0) { $0 + Int($1) } % 256)
        return bytes
    }()
}
