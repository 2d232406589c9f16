// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleHost
import ReveilleSystem
import ReveilleTesting

/// Compares the time from a uevent to a subscriber's read with the time of a bare program that only listens to libudev
/// and reads one attribute.
///
/// Each program has its own synthetic battery, so that the two do not compete for a processor. Both times start before
/// umockdev sends the event, and sending takes the larger part.
struct LatencyBench {
    static let monitorArgument = "bare-monitor"
    private static let rounds = 500
    private static let warmUp = 20

    func run() throws {
        let phone = try SyntheticPhone()
        let service = try phone.startBus(configuration: PhoneBus.busy)
        let subscriber = try service.client()
        try subscriber.subscribe(to: [.battery])
        let other = try SyntheticPhone()
        let monitor = try Worker([Self.monitorArgument], environment: other.environment)
        _ = try monitor.required()

        var bare = Samples()
        var bus = Samples()
        for round in 0..<Self.rounds + Self.warmUp {
            let level = round % 2 == 0 ? "50" : "49"
            let sentToMonitor = try Self.change(level, of: other)
            let received = try monitor.required()
            let sentToBus = try Self.change(level, of: phone)
            let read = try subscriber.waitForEvent()
            guard round >= Self.warmUp else { continue }
            bare.add(received - sentToMonitor)
            bus.add(read - sentToBus)
        }
        report("uevent to a bare libudev monitor", bare.summary)
        report("uevent to a subscriber of the bus", bus.summary)
        report("ratio of the medians", (bus.percentile(0.5) / bare.percentile(0.5)).rounded(to: 2))
    }

    /// Changes the level of a phone's battery, and returns the time before its uevent.
    private static func change(_ level: String, of phone: SyntheticPhone) throws -> Int64 {
        guard let battery = phone.battery.device else { throw BenchError("the phone has no battery") }
        var time: Int64 = 0
        try phone.testbed.unwatched { () throws(TestbedError) in
            try battery.set(BareMonitor.attribute, level)
            time = Clocks.boot()
            try battery.uevent("change")
        }
        return time
    }
}

/// A program that only listens to libudev, and reports when it has received an event and read an attribute.
enum BareMonitor {
    /// The attribute that changes, and that the program reads.
    static let attribute = "capacity"

    static func run() throws {
        let monitor = try UdevMonitor(subsystems: ["power_supply"])
        Worker.report(Clocks.boot())
        while true {
            try Readiness.wait(monitor.descriptor, for: .readable, atMost: .seconds(60))
            while case .event(_, let path, _) = monitor.receive() {
                guard SysfsAttribute.read(path + "/" + attribute).text != nil else { exit(1) }
                Worker.report(Clocks.boot())
            }
        }
    }
}
