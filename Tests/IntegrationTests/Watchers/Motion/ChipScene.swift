// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Synchronization

/// A chip with an accelerometer and a gyroscope whose scans come from one node.
struct ChipScene {
    let testbed: Testbed
    let node: String

    init() throws {
        testbed = try Testbed()
        node = testbed.root + "/dev/iio:device0"
        mkdir(testbed.root + "/dev", 0o755)
        guard mkfifo(node, 0o600) == 0 else { throw TestbedError("mkfifo \(node): error \(errno)") }
    }

    /// Adds the chip, with two sensors, six channels and a time in each scan.
    ///
    /// Attributes in `others` replace the usual ones. If `isScanned` is true, all channels are always enabled.
    func addChip(_ others: [String: String] = [:], isScanned: Bool = false) throws -> SyntheticDevice {
        var attributes = [
            "name": "chip", "in_accel_scale": "0.0098", "in_anglvel_scale": "0.001", "buffer/enable": "0",
            "buffer/length": "2", "in_anglvel_hysteresis": "3", "current_timestamp_clock": "monotonic",
            "sampling_frequency": "25", "sampling_frequency_available": "12.5 25 50 104 208",
            "mount_matrix": "-1, 0, 0; 0, -1, 0; 0, 0, -1", "scan_elements/in_timestamp_en": isScanned ? "1" : "0",
            "scan_elements/in_timestamp_index": "6", "scan_elements/in_timestamp_type": "le:s64/64>>0",
        ]
        for (index, channel) in ["accel_x", "accel_y", "accel_z", "anglvel_x", "anglvel_y", "anglvel_z"].enumerated() {
            attributes["scan_elements/in_\(channel)_en"] = isScanned ? "1" : "0"
            attributes["scan_elements/in_\(channel)_index"] = "\(index)"
            attributes["scan_elements/in_\(channel)_type"] = "le:s16/16>>0"
            attributes["in_\(channel)_raw"] = "0"
        }
        return try testbed.add(
            subsystem: "iio", name: "iio:device0", attributes: attributes.merging(others) { $1 },
            properties: ["DEVTYPE": "iio_device", "DEVNAME": "/dev/iio:device0"])
    }

    /// Returns the current value of an attribute, without its newline.
    func text(_ attribute: String, of sensor: SyntheticDevice) -> String? {
        (try? String(contentsOfFile: testbed.root + sensor.path + "/" + attribute))?.filter { !$0.isNewline }
    }
}

/// A stream of numbered scans, as from a driver: their number is the raw value of both x axes.
final class Scans: Sendable {
    private struct State {
        var count = 0
        var times: [Int: Int64] = [:]
        var acceleration: (x: Int16, y: Int16, z: Int16)?
        var isSilent = false
    }

    private let state = Mutex(State())

    /// The raw acceleration in place of the numbers.
    var acceleration: (x: Int16, y: Int16, z: Int16)? {
        get { state.withLock { $0.acceleration } }
        set { state.withLock { $0.acceleration = newValue } }
    }

    /// Whether the driver has stopped.
    var isSilent: Bool {
        get { state.withLock { $0.isSilent } }
        set { state.withLock { $0.isSilent = newValue } }
    }

    var count: Int { state.withLock { $0.count } }

    /// Creates a stream with a pause in milliseconds after each scan.
    init(to node: String, pause: Int32) throws {
        // Opened for reading and writing, so that the stream does not end when the bus closes it.
        let pipe = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard pipe >= 0 else { throw Trouble("open \(node): error \(errno)") }
        try Pthread.start { [weak self] in
            while let scan = self?.scan {
                // A scan that does not fit is lost, as in the kernel.
                if self?.isSilent == false { _ = write(pipe, scan, scan.count) }
                poll(nil, 0, pause)
            }
            close(pipe)
        }
    }

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
        let set = acceleration.map { [$0.x, $0.y, $0.z].map(UInt16.init(bitPattern:)) }
        let words = (set ?? [number, 0, 1_000]) + [number, 0, 0, 0xAAAA, 0x5555]
        let ending = (0..<8).map { UInt8(truncatingIfNeeded: (microseconds * 1_000) >> (8 * $0)) }
        return words.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } + ending
    }
}
