// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleSystem
import ReveilleTesting

/// Measures the processor time of the bus while ten subscribers get a hundred samples of motion a second each, beside a
/// bare loop that only sends as much.
///
/// The samples come from a synthetic chip: a thread writes scans to a FIFO in place of the device's node.
struct MotionBench {
    private static let subscribers = 10
    private static let interval: Duration = .milliseconds(10)
    /// How often the bus may take the processor time of a bare loop.
    private static let limit = 4.0
    /// The smallest part of the samples that must arrive for the figure to count.
    private static let leastDelivered = 0.9
    /// The seconds before the measurement, in which the stream starts, and the seconds of the measurement.
    private static let duration = (rest: 2.0, measured: 20.0)

    /// Prints the figure, which must not be above its limit, and requires that no samples are missing.
    func run() throws {
        let phone = try SyntheticPhone(
            hasAccelerometer: false, hasGyroscope: false, hasProximitySensor: false)
        let testbed = phone.testbed
        let node = testbed.root + "/dev/iio:device0"
        mkdir(testbed.root + "/dev", 0o755)
        guard mkfifo(node, 0o600) == 0 else { throw SystemError("mkfifo", on: node) }
        try Self.addChip(to: testbed)
        let bus = try phone.startBus(configuration: "{}")
        let driver = try ScanDriver(node: node, every: Self.interval)
        let connections = try (0..<Self.subscribers).map { _ in try bus.client() }
        for client in connections {
            try client.subscribe(to: [.motion], policies: [.motion: Policy(interval: Self.interval)])
        }
        _ = try Self.receive(on: connections.map(\.number), for: Self.duration.rest)
        let before = bus.usage.processorTime
        let received = try Self.receive(on: connections.map(\.number), for: Self.duration.measured)
        let time = Double(bus.usage.processorTime - before) / 1_000_000_000
        withExtendedLifetime((bus, driver, connections)) {}
        let wanted = Double(Self.subscribers) * (.seconds(1) / Self.interval)
        let rate = Double(received.messages) / Self.duration.measured
        guard rate >= wanted * Self.leastDelivered else {
            throw BenchError("\(rate) samples a second were delivered in place of \(wanted)")
        }
        let bare = try Self.bareTime(sending: received.bytes / received.messages)

        print("\n| motion at 100 Hz, ten subscribers | of one processor | of each sample |")
        print("| --- | ---: | ---: |")
        for (name, time) in [("Reveille", time), ("bare loop", bare)] {
            let use = time / Self.duration.measured
            let each = use * 1_000_000 / wanted
            print("| \(name) | \((use * 100).rounded(to: 2))% | \(each.rounded(to: 1)) µs |")
        }
        guard time <= bare * Self.limit else {
            throw BenchError("the bus takes more than \(Self.limit) times the processor time of a bare loop")
        }
    }

    /// The processor time of a thread that only sends messages of a length to as many sockets, as often.
    private static func bareTime(sending length: Int) throws -> Double {
        let streams = try (0..<subscribers).map { _ in try UnixStream.pair() }
        let sockets = streams.map(\.0.number)
        let message = [UInt8](repeating: 1, count: length - 1) + [0]
        let time = Lock(0.0)
        try Pthread.start {
            let end = Clocks.boot() + Int64(duration.measured * 1_000_000)
            var due = Clocks.boot()
            while due < end {
                for socket in sockets { send(socket, message, length, Int32(MSG_NOSIGNAL)) }
                due += Int64(interval / .microseconds(1))
                usleep(useconds_t(max(0, due - Clocks.boot())))
            }
            time.withLock { $0 = Double(Clocks.thread()) / 1_000_000 }
        }
        while time.withLock({ $0 }) == 0 { _ = try receive(on: streams.map(\.1.number), for: 1) }
        return time.withLock { $0 }
    }

    /// Reads from all sockets for a time in seconds, and returns the totals.
    private static func receive(on sockets: [Int32], for seconds: Double) throws -> (messages: Int, bytes: Int) {
        let end = Clocks.boot() + Int64(seconds * 1_000_000)
        var polls = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var received = (messages: 0, bytes: 0)
        while Clocks.boot() < end {
            guard poll(&polls, nfds_t(polls.count), 100) >= 0 else { throw SystemError("poll") }
            for descriptor in polls where descriptor.revents != 0 {
                let size = recv(descriptor.fd, &buffer, buffer.count, 0)
                guard size > 0 else { throw BenchError("the bus has closed a connection") }
                received.messages += buffer[..<size].count { $0 == 0 }
                received.bytes += size
            }
        }
        return received
    }

    private static func addChip(to testbed: Testbed) throws {
        var attributes = [
            "name": "chip", "in_accel_scale": "0.0098", "in_anglvel_scale": "0.001", "buffer/enable": "0",
            "buffer/length": "2", "sampling_frequency": "100", "scan_elements/in_timestamp_en": "1",
            "scan_elements/in_timestamp_index": "6", "scan_elements/in_timestamp_type": "le:s64/64>>0",
        ]
        for (index, channel) in ["accel_x", "accel_y", "accel_z", "anglvel_x", "anglvel_y", "anglvel_z"].enumerated() {
            attributes["scan_elements/in_\(channel)_en"] = "1"
            attributes["scan_elements/in_\(channel)_index"] = "\(index)"
            attributes["scan_elements/in_\(channel)_type"] = "le:s16/16>>0"
            attributes["in_\(channel)_raw"] = "0"
        }
        _ = try testbed.add(
            subsystem: "iio", name: "iio:device0", attributes: attributes,
            properties: ["DEVTYPE": "iio_device", "DEVNAME": "/dev/iio:device0"])
    }
}

/// A thread that writes scans in place of a driver, until this is released.
private final class ScanDriver: Sendable {
    private let isRunning = Lock(true)

    init(node: String, every interval: Duration) throws {
        // Opened for reading and writing, so that the stream does not end when the bus closes it.
        let pipe = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard pipe >= 0 else { throw SystemError("open", on: node) }
        let pause = Int64(interval / .microseconds(1))
        try Pthread.start { [weak self] in
            var due = Clocks.boot()
            var number: UInt16 = 0
            while self?.isRunning.withLock({ $0 }) == true {
                number = (number + 1) % 1_000
                let scan = Self.scan(number)
                // A scan that does not fit is lost, as in the kernel.
                _ = write(pipe, scan, scan.count)
                due += pause
                usleep(useconds_t(max(0, due - Clocks.boot())))
            }
            close(pipe)
        }
    }

    deinit {
        isRunning.withLock { $0 = false }
    }

    /// Six axes with 16 bits, padding, and the time in nanoseconds.
    private static func scan(_ number: UInt16) -> [UInt8] {
        let words = [number, 0, 1_000, number, 0, 0, 0, 0].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let time = Clocks.wall() * 1_000
        return words + (0..<8).map { UInt8(truncatingIfNeeded: time >> (8 * $0)) }
    }
}
