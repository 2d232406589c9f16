// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Reveille
import ReveilleSystem
import ReveilleTesting

/// Compares the time from a uevent to a subscriber's read with that of a program that only listens to libudev.
///
/// Both receive the same events of a synthetic battery, and both times start before the event is sent.
struct LatencyBench {
    static let monitorArgument = "bare-monitor"
    private static let rounds = 500
    private static let warmUp = 20

    func run() throws {
        let phone = try SyntheticPhone()
        let service = try BenchService(phone)
        let subscriber = try service.client()
        try subscriber.subscribe(to: .battery)
        let pipe = try Pipe()
        let monitor = try ChildProcess(
            [CommandLine.arguments[0], Self.monitorArgument], environment: phone.environment,
            descriptors: [1: pipe.writable])
        _ = try BareMonitor.receive(from: pipe.readingEnd)

        var bare = Samples()
        var bus = Samples()
        for round in 0..<Self.rounds + Self.warmUp {
            let sent = MonotonicClock.now
            try phone.testbed.unwatched { () throws(TestbedError) in
                try phone.battery.setLevel(round % 2 == 0 ? 0.5 : 0.49)
            }
            let read = try subscriber.waitForEvent()
            let received = try BareMonitor.receive(from: pipe.readingEnd)
            guard round >= Self.warmUp else { continue }
            bare.add(Double(received - sent) / 1_000)
            bus.add(Double(read - sent) / 1_000)
        }
        monitor.signal(SIGTERM)
        monitor.wait()
        print("uevent to a bare libudev monitor:  \(bare.summary)")
        print("uevent to a subscriber of the bus: \(bus.summary)")
        let ratio = bus.percentile(0.5) / bare.percentile(0.5)
        print("ratio of the medians: \((ratio * 100).rounded() / 100)")
    }
}

/// A program that only listens to libudev, and reports when it receives an event.
enum BareMonitor {
    static func run() throws {
        let monitor = try UdevMonitor(subsystems: ["power_supply"])
        report()
        while true {
            try Readiness.wait(monitor.descriptor, for: .readable, atMost: .seconds(60))
            while case .event = monitor.receive() { report() }
        }
    }

    private static func report() {
        var now = MonotonicClock.now
        guard write(STDOUT_FILENO, &now, 8) == 8 else { exit(0) }
    }

    /// Receives the time of an event in nanoseconds of the monotonic clock.
    static func receive(from descriptor: Int32) throws -> Int64 {
        var time: Int64 = 0
        guard read(descriptor, &time, 8) == 8 else { throw SystemError("read", code: EPIPE) }
        return time
    }
}

/// The monotonic clock, which all processes share.
enum MonotonicClock {
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
