// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing
import Varlink

/// Sensors whose drivers do not answer, beside others that do.
@Suite(.blocking, .timeLimit(.minutes(10))) struct SlowSensorTests {
    private let phone: SyntheticPhone
    private let faults: DeviceFaults
    private let bus: BusProcess

    init() throws {
        phone = try SyntheticPhone()
        faults = try DeviceFaults()
        bus = try BusProcess(on: phone, environment: faults.environment)
    }

    /// Checks that a battery's event arrives while a read is blocked.
    private func expectBatteryEvent(at level: Double, _ subscriber: Subscriber) throws {
        try phone.battery.setLevel(level)
        try subscriber.wait(for: "battery") { $0["level"]?.numberValue == level }
    }

    @Test("the first read of a sensor may block without delaying other aspects") func firstReadBlocks() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["battery"]}"#)
        try faults.block("iio:device0/in_accel_x_raw")
        let client = try bus.client()
        try client.send(
            #"{"method":"org.reveille.Bus.Subscribe","parameters":{"aspects":["orientation"]},"more":true}"#)
        try faults.waitForRead(of: "iio:device0/in_accel_x_raw")
        try expectBatteryEvent(at: 0.4, subscriber)
        faults.heal("iio:device0/in_accel_x_raw")
        #expect(try bus.client().state(of: "orientation")["orientation"]?.objectValue?["pose"] == "portrait")
    }

    @Test("a sensor that stops answering keeps its state, and delays other aspects once at most")
    func laterReadBlocks() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["battery","orientation","proximity"]}"#)
        let reads = try ReadCounter(of: "in_accel_y_raw", on: phone)
        try reads.wait(for: 10)
        let file = "iio:device0/in_accel_z_raw"
        try faults.block(file)
        try faults.waitForRead(of: file)
        // The sensor was quick, so the loop reads it and is blocked.
        let client = try bus.client()
        try client.send(#"{"method":"org.varlink.service.GetInfo"}"#)
        #expect(throws: Trouble.self) { try client.receive(seconds: 1) }
        faults.heal(file)
        try reads.wait(for: reads.count + 10)
        for _ in 0..<3 {
            try faults.block(file)
            try faults.waitForRead(of: file)
            try expectBatteryEvent(at: 0.3, subscriber)
            try phone.setNear(true)
            try subscriber.wait(for: "proximity") { $0["state"] == "near" }
            try expectBatteryEvent(at: 0.6, subscriber)
            try phone.setNear(false)
            try subscriber.wait(for: "proximity") { $0["state"] == "far" }
            faults.heal(file)
            try reads.wait(for: reads.count + 10)
        }
    }
}
