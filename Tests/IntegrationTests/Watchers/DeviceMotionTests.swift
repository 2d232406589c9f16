// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Devices that are added and removed, lose events and return invalid values during a subscription.
@Suite(.blocking, .timeLimit(.minutes(10))) struct DeviceMotionTests {
    @Test func addedAndRemovedDevicesAreDetected() throws {
        let phone = try SyntheticPhone()
        let bus = try BusProcess(on: phone)
        let subscriber = try bus.subscribe(#"{"aspects":["battery"]}"#)
        let second = try phone.testbed.add(
            subsystem: "power_supply", name: "battery2",
            attributes: ["type": "Battery", "present": "1", "status": "Discharging", "capacity": "40"])
        try second.uevent("change")
        let event = try subscriber.wait(for: "battery") { $0["packs"]?.arrayValue?.count == 2 }
        #expect(abs((event.level ?? 0) - 0.6) < 1e-9)
        try second.remove()
        _ = try subscriber.wait(for: "battery") { $0["packs"]?.arrayValue?.count == 1 }
    }

    @Test("B75: a sensor that is added, removed and added again needs no new subscription")
    func sensorMayBeAddedLater() throws {
        let testbed = try Testbed()
        let bus = try BusProcess(
            configuration: "{ proximity: { sampleInterval: 0.05 } }", environment: testbed.environment)
        let subscriber = try bus.subscribe(#"{"aspects":["proximity"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["proximity"] == ["state": "unknown"])
        for _ in 0..<2 {
            let sensor = try testbed.add(
                subsystem: "iio", name: "iio:device0",
                attributes: ["in_proximity_raw": "500", "in_proximity_nearlevel": "100"],
                properties: ["DEVTYPE": "iio_device"])
            _ = try subscriber.wait(for: "proximity") { $0["state"] == "near" }
            try sensor.set("in_proximity_raw", "1")
            _ = try subscriber.wait(for: "proximity") { $0["state"] == "far" }
            try sensor.remove()
            _ = try subscriber.wait(for: "proximity") { $0["state"] == "unknown" }
        }
    }

    @Test("B80: an overflow of the inotify queue is counted and causes all files to be read again")
    func fullQueueLosesNothing() throws {
        let phone = try SyntheticPhone()
        let bus = try BusProcess(on: phone)
        let subscriber = try bus.subscribe(#"{"aspects":["defaults"]}"#)
        let limit = Int(try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events").dropLast()) ?? 0
        // Each file causes two events. A very long queue would take too long to fill.
        try #require(limit > 0 && limit < 200_000)
        bus.process.signal(SIGSTOP)
        let directory = phone.files + phone.home + "/.config/"
        for index in 0..<limit / 2 + 500 {
            let name = directory + ".flood\(index)"
            close(open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            unlink(name)
        }
        try phone.writeSettings(#"{"after": true}"#)
        bus.process.signal(SIGCONT)
        #expect(try subscriber.next().map { $0.integer("changes") } == [1])
        let source = try bus.description(of: "defaults")["source"]?.stringValue
        #expect(source?.contains("events lost and all read again: 1") == true, "\(source ?? "")")
    }
}
