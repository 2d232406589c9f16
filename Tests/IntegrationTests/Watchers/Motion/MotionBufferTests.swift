// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// A device with an accelerometer and a gyroscope whose scans come from one node.
@Suite(.blocking, .timeLimit(.minutes(10))) struct MotionBufferTests {
    private let scene: ChipScene

    init() throws {
        scene = try ChipScene()
    }

    private static func subscription(_ interval: Int) -> String {
        #"{"aspects":["motion"],"policies":[{"aspect":"motion","interval":\#(interval)}]}"#
    }

    @Test("B141: acceleration and rotation of one chip are of one scan, and have its time") func scansAreWhole() throws
    {
        let chip = try scene.addChip()
        let scans = try Scans(to: scene.node, pause: 5)
        let bus = try BusProcess(environment: scene.testbed.environment)
        let subscriber = try bus.subscribe(Self.subscription(10))
        let manner = try bus.description(of: "motion")["source"]?.stringValue ?? ""
        #expect(manner == "iio:device0 (chip), by its buffer, every 10 ms")
        var last = (number: -1.0, time: Int64(0))
        for _ in 0..<30 {
            for event in try subscriber.next() {
                let motion = try #require(event["motion"]?.objectValue)
                // The chip is mounted upside down: the reaction becomes gravity, and the rotation keeps its sign.
                let number = try #require(motion["acceleration"]?.objectValue?["x"]?.numberValue) / 0.0098 * 9.80665
                let rotation = try #require(motion["rotation"]?.objectValue?["x"]?.numberValue) / 0.001
                #expect(abs(number + rotation) < 0.01 && abs(rotation) >= 1, "\(number) \(rotation)")
                let time = try #require(motion["takenAt"]?.integerValue)
                #expect(time == scans.time(of: Int(rotation.rounded())))
                #expect(time >= last.time)
                last = (rotation, time)
            }
        }
        #expect(scene.text("current_timestamp_clock", of: chip) == "realtime")
        #expect(scene.text("in_anglvel_hysteresis", of: chip) == "0")
        withExtendedLifetime(scans) {}
    }

    @Test("B132: the hardware has the lowest sufficient frequency, and its own one after the last subscriber")
    func hardwareFollowsTheFastestSubscriber() throws {
        let chip = try scene.addChip()
        let scans = try Scans(to: scene.node, pause: 5)
        let bus = try BusProcess(environment: scene.testbed.environment)
        let slow = try bus.subscribe(Self.subscription(100))
        try wait(for: "a slow chip") { scene.text("sampling_frequency", of: chip) == "12.5" }
        var fast: Subscriber? = try bus.subscribe(Self.subscription(10))
        try wait(for: "a fast chip") { scene.text("sampling_frequency", of: chip) == "104" }
        withExtendedLifetime(fast) { fast = nil }
        try wait(for: "a slow chip") { scene.text("sampling_frequency", of: chip) == "12.5" }
        _ = try slow.next()
        try slow.setState("background", on: bus.client())
        try wait(for: "a chip that rests") {
            scene.text("sampling_frequency", of: chip) == "25" && scene.text("buffer/enable", of: chip) == "0"
                && scene.text("in_anglvel_hysteresis", of: chip) == "3"
        }
        withExtendedLifetime(scans) {}
    }

    @Test("a full buffer holds old samples, which are not delivered") func fullBufferIsDrained() throws {
        _ = try scene.addChip()
        let scans = try Scans(to: scene.node, pause: 2)
        let bus = try BusProcess(environment: scene.testbed.environment)
        let subscriber = try bus.subscribe(Self.subscription(10))
        _ = try subscriber.next()
        bus.process.signal(SIGSTOP)
        let before = scans.count
        try wait(for: "a full buffer") { scans.count > before + 300 }
        let stop = scans.count
        bus.process.signal(SIGCONT)
        var event: JSONObject?
        for _ in 0..<3 { event = try subscriber.next().last }
        let rotation = try #require(event?["motion"]?.objectValue?["rotation"]?.objectValue?["x"]?.numberValue)
        #expect(Int((rotation / 0.001).rounded()) >= stop % 30_000 || stop % 30_000 > 29_000)
    }

    @Test("B144: while a sensor blocks its reader, others are read") func blockedSensorDelaysNothingElse() throws {
        var attributes = ["in_accel_x_raw": "", "in_accel_y_raw": "", "in_accel_z_raw": ""]
        attributes = attributes.mapValues { _ in "not a number" }
        _ = try scene.addChip(attributes)
        // Its buffer stays empty, and a reader waits for it.
        let silent = open(scene.node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(silent) }
        let bus = try BusProcess(environment: scene.testbed.environment)
        let waiting = try bus.client()
        try waiting.send(
            #"{"method":"org.reveille.Bus.Subscribe","more":true,"parameters":{"aspects":["motion"],"initial":true}}"#)
        let state = try bus.client().state(of: "proximity")
        #expect(waiting.receiveAll().texts.isEmpty)
        #expect(state["proximity"] == ["state": "unknown"])
        let motion = try waiting.receive().parameters.events.first?["motion"]?.objectValue
        #expect(motion?["acceleration"] == .null)
    }

    @Test("B150: a sensor with at most 12 samples a second cannot show shakes") func slowSensorHasNoShakes() throws {
        _ = try scene.addChip(["sampling_frequency": "12", "sampling_frequency_available": "6 12"])
        let source = try BusProcess(environment: scene.testbed.environment).description(of: "shake")
        #expect(source["available"] == false)
        #expect(
            source["reason"]?.stringValue == "iio:device0 (chip) gives 12 samples a second; at least 18 are needed")
    }

    @Test("a scan that is cut off ends neither the bus nor the samples", arguments: [1, 7, 25])
    func truncatedScans(bytes: Int) throws {
        _ = try scene.addChip()
        let scans = try Scans(to: scene.node, pause: 5)
        let bus = try BusProcess(environment: scene.testbed.environment)
        let subscriber = try bus.subscribe(Self.subscription(10))
        _ = try subscriber.next()
        let pipe = open(scene.node, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(pipe) }
        _ = write(pipe, [UInt8](repeating: 0x55, count: bytes), bytes)
        for _ in 0..<10 { _ = try subscriber.next() }
        withExtendedLifetime(scans) {}
    }
}
