// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting
import Synchronization
import Testing
import Varlink

/// A device with an accelerometer and a gyroscope whose scans come from one node.
@Suite(.timeLimit(.minutes(10))) struct MotionBufferTests {
    private let testbed: Testbed
    private let node: String

    init() throws {
        testbed = try Testbed()
        node = testbed.root + "/dev/iio:device0"
        mkdir(testbed.root + "/dev", 0o755)
        guard mkfifo(node, 0o600) == 0 else { throw TestbedError("mkfifo \(node): error \(errno)") }
    }

    /// Adds a chip with two sensors, six channels and a time in each scan.
    private func addChip(_ others: [String: String] = [:]) throws -> SyntheticDevice {
        var attributes = [
            "name": "chip", "in_accel_scale": "0.0098", "in_anglvel_scale": "0.001", "buffer/enable": "0",
            "buffer/length": "2", "in_anglvel_hysteresis": "3", "current_timestamp_clock": "monotonic",
            "sampling_frequency": "25", "sampling_frequency_available": "12.5 25 50 104 208",
            "mount_matrix": "-1, 0, 0; 0, -1, 0; 0, 0, -1", "scan_elements/in_timestamp_en": "0",
            "scan_elements/in_timestamp_index": "6", "scan_elements/in_timestamp_type": "le:s64/64>>0",
        ]
        for (index, channel) in ["accel_x", "accel_y", "accel_z", "anglvel_x", "anglvel_y", "anglvel_z"].enumerated() {
            attributes["scan_elements/in_\(channel)_en"] = "0"
            attributes["scan_elements/in_\(channel)_index"] = "\(index)"
            attributes["scan_elements/in_\(channel)_type"] = "le:s16/16>>0"
            attributes["in_\(channel)_raw"] = "0"
        }
        return try testbed.add(
            subsystem: "iio", name: "iio:device0", attributes: attributes.merging(others) { $1 },
            properties: ["DEVTYPE": "iio_device", "DEVNAME": "/dev/iio:device0"])
    }

    private func text(_ attribute: String, of sensor: SyntheticDevice) -> String? {
        (try? String(contentsOfFile: testbed.root + sensor.path + "/" + attribute))?.filter { !$0.isNewline }
    }

    private static func subscription(_ interval: Int) -> String {
        #"{"aspects":["motion"],"policies":[{"aspect":"motion","interval":\#(interval)}]}"#
    }

    @Test("B141: acceleration and rotation of one chip are of one scan, and have its time") func scansAreWhole() throws
    {
        let chip = try addChip()
        let scans = try Scans(to: node, pause: 5)
        let bus = try BusProcess(environment: testbed.environment)
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
        #expect(text("current_timestamp_clock", of: chip) == "realtime")
        #expect(text("in_anglvel_hysteresis", of: chip) == "0")
        withExtendedLifetime(scans) {}
    }

    @Test("B132: the hardware has the lowest sufficient frequency, and its own one after the last subscriber")
    func hardwareFollowsTheFastestSubscriber() throws {
        let chip = try addChip()
        let scans = try Scans(to: node, pause: 5)
        let bus = try BusProcess(environment: testbed.environment)
        let slow = try bus.subscribe(Self.subscription(100))
        try wait(for: "a slow chip") { text("sampling_frequency", of: chip) == "12.5" }
        var fast: Subscriber? = try bus.subscribe(Self.subscription(10))
        try wait(for: "a fast chip") { text("sampling_frequency", of: chip) == "104" }
        withExtendedLifetime(fast) { fast = nil }
        try wait(for: "a slow chip") { text("sampling_frequency", of: chip) == "12.5" }
        _ = try slow.next()
        try slow.setState("background", on: bus.client())
        try wait(for: "a chip that rests") {
            text("sampling_frequency", of: chip) == "25" && text("buffer/enable", of: chip) == "0"
                && text("in_anglvel_hysteresis", of: chip) == "3"
        }
        withExtendedLifetime(scans) {}
    }

    @Test("B133: a subscriber that stops reading gets the newest sample after the stale one") func stalledReader()
        throws
    {
        _ = try addChip()
        let scans = try Scans(to: node, pause: 2)
        let bus = try BusProcess(environment: testbed.environment)
        let subscriber = try bus.subscribe(Self.subscription(10))
        let before = try #require(try subscriber.next().last).integer("generation")
        try wait(for: "200 samples") {
            try bus.client().history("motion").last?.integer("generation") ?? 0 > before + 200
        }
        let stale = try #require(try subscriber.next().last)
        #expect(stale.integer("generation") < before + 20)
        let events = try subscriber.next()
        #expect(events.count == 1)
        #expect(events[0].integer("changes") >= 180)
        withExtendedLifetime(scans) {}
    }

    @Test("a full buffer holds old samples, which are not delivered") func fullBufferIsDrained() throws {
        _ = try addChip()
        let scans = try Scans(to: node, pause: 2)
        let bus = try BusProcess(environment: testbed.environment)
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
        _ = try addChip(attributes)
        // Its buffer stays empty, for which a reader waits.
        let silent = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(silent) }
        let bus = try BusProcess(environment: testbed.environment)
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
        _ = try addChip(["sampling_frequency": "12", "sampling_frequency_available": "6 12"])
        let source = try BusProcess(environment: testbed.environment).description(of: "shake")
        #expect(source["available"] == false)
        #expect(
            source["reason"]?.stringValue == "iio:device0 (chip) gives 12 samples a second; at least 18 are needed")
    }

    @Test("a scan that is cut off ends neither the bus nor the samples", arguments: [1, 7, 25])
    func truncatedScans(bytes: Int) throws {
        _ = try addChip()
        let scans = try Scans(to: node, pause: 5)
        let bus = try BusProcess(environment: testbed.environment)
        let subscriber = try bus.subscribe(Self.subscription(10))
        _ = try subscriber.next()
        let pipe = open(node, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(pipe) }
        _ = write(pipe, [UInt8](repeating: 0x55, count: bytes), bytes)
        for _ in 0..<10 { _ = try subscriber.next() }
        withExtendedLifetime(scans) {}
    }
}

/// A stream of numbered scans, as from a driver: their number is the raw value of both x axes.
private final class Scans: Sendable {
    private struct State {
        var count = 0
        var times: [Int: Int64] = [:]
    }

    private let state = Mutex(State())

    /// The number of scans so far.
    var count: Int { state.withLock { $0.count } }

    /// Creates a stream with a pause in milliseconds after each scan.
    init(to node: String, pause: Int32) throws {
        // Opened for reading and writing, so that the stream does not end when the bus closes it.
        let pipe = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard pipe >= 0 else { throw Trouble("open \(node): error \(errno)") }
        try Pthread.start { [weak self] in
            while let scan = self?.scan {
                // A scan that does not fit is lost, as in the kernel.
                _ = write(pipe, scan, scan.count)
                poll(nil, 0, pause)
            }
            close(pipe)
        }
    }

    /// The time of a scan in microseconds.
    func time(of number: Int) -> Int64? { state.withLock { $0.times[number] } }

    /// Six axes with 16 bits, padding, and the time in nanoseconds.
    private var scan: [UInt8] {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let microseconds = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
        let number = state.withLock { state in
            state.count += 1
            // Within the range of 16 bits.
            let number = state.count % 30_000 + 1
            state.times[number] = microseconds
            return UInt16(number)
        }
        let words = [number, 0, 1_000, number, 0, 0, 0xAAAA, 0x5555]
        let ending = (0..<8).map { UInt8(truncatingIfNeeded: (microseconds * 1_000) >> (8 * $0)) }
        return words.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } + ending
    }
}

extension RawClient {
    fileprivate func history(_ aspect: String) throws -> [JSONObject] {
        try call("GetHistory", "{\"aspect\":\"\(aspect)\"}").parameters.events
    }
}
