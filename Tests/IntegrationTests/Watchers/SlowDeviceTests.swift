// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Devices whose attributes take long, beside others that do not.
@Suite(.blocking, .timeLimit(.minutes(10))) struct SlowDeviceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let aspect: String
        let file: String

        init(_ aspect: String, _ file: String) { (self.aspect, self.file) = (aspect, file) }

        var testDescription: String { "\(aspect): \(file)" }
    }

    static let cases = [
        Case("battery", "battery/type"), Case("battery", "battery/capacity"), Case("battery", "charger/online"),
        Case("power", "battery/status"), Case("display", "card0-DSI-1/status"), Case("display", "panel/brightness"),
        Case("orientation", "iio:device0/in_accel_scale"),
        Case("proximity", "iio:device1/in_proximity_nearlevel"), Case("light", "iio:device3/in_illuminance_scale"),
        Case("motion", "iio:device2/in_anglvel_scale"), Case("switches", "capabilities/sw"),
        Case("network", "wlan0/uevent"),
    ]

    private let phone: SyntheticPhone
    private let faults: DeviceFaults
    private let bus: BusProcess

    init() throws {
        phone = try SyntheticPhone()
        try phone.lid.set(true)
        try phone.connect(over: .wifi)
        faults = try DeviceFaults()
        bus = try BusProcess(phone: phone, environment: faults.environment)
    }

    private func threads() -> Int { CgroupHierarchy.children(of: "/proc/\(bus.process.pid)/task").count }

    @Test("B246: a device that was slow once delays only its own aspect from then on", arguments: cases)
    func slowDeviceDelaysItsAspect(_ item: Case) throws {
        let client = try bus.client()
        let other = try bus.client()
        let state = try client.state(of: item.aspect)
        try faults.delay(item.file, milliseconds: 50)
        // The bus watches the battery: a read that has begun before may answer the first call.
        var source = ""
        try wait(for: "a slow read of \(item.file)") {
            _ = try client.state(of: item.aspect)
            source = try bus.description(of: item.aspect)["source"]?.stringValue ?? ""
            return source.contains("slow: ") && source.contains("/\(item.file) took ")
        }
        // The sensors have their threads from here on.
        try other.call("Refresh")
        let rest = threads()
        try faults.block(item.file)
        try client.send(#"{"method":"org.reveille.Bus.GetState","parameters":{"aspects":["\#(item.aspect)"]}}"#)
        try faults.waitForRead(of: item.file)
        // The read ends after these answers.
        #expect(try other.state(of: "locale")["locale"] != nil)
        #expect(try bus.description(of: item.aspect)["source"]?.stringValue?.contains(item.file) == true)
        let answer = try #require(try client.receive().parameters.events.first)
        // Each sample of motion is a change.
        if item.aspect != "motion" { #expect(answer == state) }
        #expect(try other.call("Refresh").error == nil)
        faults.heal(item.file)
        try wait(for: "the thread to end") { threads() <= rest }
        #expect(try other.state(of: item.aspect)[item.aspect] != nil)
    }

    @Test func eventsOfOthersArriveWhileABatteryBlocks() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["battery","power","display"]}"#)
        try faults.delay("battery/capacity", milliseconds: 50)
        try phone.battery.setLevel(0.7)
        try subscriber.wait(for: "battery") { $0["level"] == 0.7 }
        try faults.block("battery/capacity")
        try phone.battery.setLevel(0.3)
        try faults.waitForRead(of: "battery/capacity")
        try phone.setBrightness(0.2)
        try subscriber.wait(for: "display") { $0["brightness"] == 0.2 }
        // A wake has the last state of the battery.
        let control = try bus.client()
        try subscriber.setState("background", on: control)
        try phone.setBrightness(0.4)
        try subscriber.setState("foreground", on: control)
        try subscriber.wait(for: "display") { $0["brightness"] == 0.4 }
        // An event during the read leads to another one.
        try phone.battery.setLevel(0.2)
        faults.heal("battery/capacity")
        try subscriber.wait(for: "battery") { $0["level"] == 0.2 }
    }

    @Test func doctorNamesTheSlowFile() throws {
        try faults.delay("battery/capacity", milliseconds: 50)
        let environment = phone.testbed.environment.merging(faults.environment) { $1 }
        let doctor = try ProgramRun(["doctor"], in: bus.directory, environment: environment)
        let line = doctor.output.split(separator: "\n").first { $0.hasPrefix("battery") } ?? ""
        #expect(line.contains("battery/capacity took "), "\(doctor.output)")
    }
}
