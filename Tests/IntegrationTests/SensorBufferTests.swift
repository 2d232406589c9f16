// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting
import Synchronization
import Testing
import Varlink

/// Accelerometers that provide whole scans through a node in `/dev`.
@Suite(.blocking, .timeLimit(.minutes(10))) struct SensorBufferTests {
    private let testbed: Testbed
    private let node: String

    init() throws {
        testbed = try Testbed()
        node = testbed.root + "/dev/iio:device0"
        mkdir(testbed.root + "/dev", 0o755)
    }

    /// Adds a sensor whose attributes, if it has any, correspond to portrait.
    private func addSensor(hasAttributes: Bool, hasNode: Bool = true) throws -> SyntheticDevice {
        var attributes = [
            "name": "accel_3d", "in_accel_scale": "0.0098", "buffer/enable": "0", "buffer/length": "2",
            "scan_elements/in_timestamp_en": "1", "scan_elements/in_timestamp_index": "3",
            "scan_elements/in_timestamp_type": "le:s64/64>>0",
        ]
        for (index, axis) in ["x", "y", "z"].enumerated() {
            attributes["scan_elements/in_accel_\(axis)_en"] = "0"
            attributes["scan_elements/in_accel_\(axis)_index"] = "\(index)"
            attributes["scan_elements/in_accel_\(axis)_type"] = "le:s16/32>>0"
            if hasAttributes { attributes["in_accel_\(axis)_raw"] = axis == "y" ? "-1000" : "0" }
        }
        if hasNode, mkfifo(node, 0o600) != 0 { throw TestbedError("mkfifo \(node): error \(errno)") }
        return try testbed.add(
            subsystem: "iio", name: "iio:device0", attributes: attributes,
            properties: ["DEVTYPE": "iio_device"].merging(hasNode ? ["DEVNAME": "/dev/iio:device0"] : [:]) { $1 })
    }

    /// Returns the current value of an attribute, without its newline.
    private func text(_ attribute: String, of sensor: SyntheticDevice) -> String? {
        (try? String(contentsOfFile: testbed.root + sensor.path + "/" + attribute))?.filter { !$0.isNewline }
    }

    private func bus() throws -> BusProcess {
        try BusProcess(
            configuration: "{ orientation: { sampleInterval: 0.1, settle: 0 } }", environment: testbed.environment)
    }

    @Test(arguments: [true, false]) func newestScanDeterminesThePose(hasAttributes: Bool) throws {
        let sensor = try addSensor(hasAttributes: hasAttributes)
        let measurements = try Measurements(to: node)
        measurements.acceleration = (0, 1000, 0)
        let bus = try bus()
        let subscriber = try bus.subscribe(#"{"aspects":["orientation"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["orientation"]?.objectValue?["pose"] == "portraitUpsideDown")
        let manner = try bus.description(of: "orientation")["source"]?.stringValue ?? ""
        #expect(manner.hasSuffix("(accel_3d), by its buffer"), "\(manner)")
        #expect(text("buffer/enable", of: sensor) == "1")
        #expect(text("buffer/length", of: sensor) == "128")
        measurements.acceleration = (-1000, 0, 0)
        _ = try subscriber.wait(for: "orientation") { $0["pose"] == "landscapeLeft" }
        #expect(bus.stop() == 0)
        #expect(text("buffer/enable", of: sensor) == "0", "the bus turns the sensor off when it ends")
        #expect(text("scan_elements/in_accel_x_en", of: sensor) == "0")
    }

    @Test func sensorWithAnEmptyBufferIsPolled() throws {
        let sensor = try addSensor(hasAttributes: true)
        let silent = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(silent) }
        let bus = try bus()
        let subscriber = try bus.subscribe(#"{"aspects":["orientation"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["orientation"]?.objectValue?["pose"] == "portrait")
        let manner = try bus.description(of: "orientation")["source"]?.stringValue ?? ""
        #expect(manner.contains("polled, buffer unavailable: wait for a scan of"), "\(manner)")
        #expect(text("buffer/enable", of: sensor) == "0")
        try sensor.set("in_accel_y_raw", "1000")
        _ = try subscriber.wait(for: "orientation") { $0["pose"] == "portraitUpsideDown" }
    }

    @Test func sensorWithABufferButWithoutANodeIsUnavailable() throws {
        _ = try addSensor(hasAttributes: false, hasNode: false)
        let reason = try bus().description(of: "orientation")["reason"]?.stringValue ?? ""
        #expect(reason.contains("it has a buffer but no device node"), "\(reason)")
    }

    @Test func sensorWithAnUnknownScanTypeIsPolled() throws {
        let sensor = try addSensor(hasAttributes: true)
        try sensor.set("scan_elements/in_accel_y_type", "le:s16/24>>0")
        let silent = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(silent) }
        let bus = try bus()
        let subscriber = try bus.subscribe(#"{"aspects":["orientation"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["orientation"]?.objectValue?["pose"] == "portrait")
        let manner = try bus.description(of: "orientation")["source"]?.stringValue ?? ""
        #expect(manner.contains(#"read the type "le:s16/24>>0" of in_accel_y"#), "\(manner)")
    }
}

/// A stream of scans, as from a driver.
private final class Measurements: Sendable {
    private let raw = Mutex((x: Int16(0), y: Int16(0), z: Int16(0)))

    var acceleration: (x: Int16, y: Int16, z: Int16) {
        get { raw.withLock { $0 } }
        set { raw.withLock { $0 = newValue } }
    }

    init(to node: String) throws {
        // Opened for reading and writing, so that the stream does not end when the bus closes it.
        let pipe = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard pipe >= 0 else { throw Trouble("open \(node): error \(errno)") }
        try Pthread.start { [weak self] in
            while let scan = self?.scan {
                // A scan that does not fit is lost, as in the kernel.
                _ = write(pipe, scan, scan.count)
                poll(nil, 0, 5)
            }
            close(pipe)
        }
    }

    /// Three axes with 16 bits in words of 32, padding, and a timestamp.
    private var scan: [UInt8] {
        let (x, y, z) = acceleration
        // The upper bits of a word are arbitrary.
        let words = [x, y, z, 0].map { UInt16(bitPattern: $0) }.flatMap {
            [UInt8($0 & 0xFF), UInt8($0 >> 8), 0xAA, 0x55]
        }
        return words + Array(repeating: 0x77, count: 8)
    }
}
