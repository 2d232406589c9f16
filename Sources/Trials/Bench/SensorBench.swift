// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleTesting
import ReveilleWire

/// Measures the wake-ups and the processor time of the bus while it watches battery, proximity and orientation, beside
/// iio-sensor-proxy and UPower, which watch the same devices.
struct SensorBench {
    /// The most wake-ups a second with a subscriber in the foreground, and with all subscribers held.
    private static let mostWakeUps = (awake: 2.0, asleep: 0.5)
    /// The milliseconds in which all programs find their devices, and the bus learns that the devices are quick.
    private static let rest: Int32 = 20_000
    /// The milliseconds of the measurement.
    private static let duration: Int32 = 120_000

    /// Prints the figures, and requires that none of the bus is above its limit.
    func run() throws {
        let aspects: AspectSet = [.battery, .proximity, .orientation]
        let phones = try (0..<2).map { _ in try Self.phone() }
        let running = try phones.map { try $0.startBus(configuration: "{}") }
        let subscribers = try running.map { try $0.client() }
        for (index, subscriber) in subscribers.enumerated() {
            try subscriber.subscribe(to: aspects, isInBackground: index == 1)
        }
        let daemons = Self.daemons(on: phones[0])
        poll(nil, 0, Self.rest)
        for service in running { try Self.check(service, watches: aspects) }
        let usages = running.map(\.usage) + (daemons?.usages ?? [])
        let before = usages.map { ($0.wakeups, $0.processorTime) }
        poll(nil, 0, Self.duration)
        let minutes = Double(Self.duration) / 60_000
        let costs = zip(usages, before).map { usage, before in
            SensorCost(
                wakeUps: Double(usage.wakeups - before.0) / (60 * minutes),
                processorTime: Double(usage.processorTime - before.1) / 1_000_000 / minutes)
        }
        withExtendedLifetime((running, subscribers, daemons)) {}

        print("\n| battery, proximity and orientation | wake-ups a second | processor time a minute |")
        print("| --- | ---: | ---: |")
        print("| Reveille, in the foreground \(costs[0])")
        print("| Reveille, in the background \(costs[1])")
        for (name, cost) in zip(Daemons.names, costs.dropFirst(2)) { print("| \(name) \(cost)") }
        try check(costs, hasDaemons: daemons != nil)
    }

    /// Checks that a bus watches all aspects, since its figures would otherwise mean nothing.
    private static func check(_ bus: PhoneBus, watches aspects: AspectSet) throws {
        let sources = try bus.client().call(DescribeAspects())
        for source in sources where aspects.contains(source.aspect) {
            guard source.isWatched, source.isAvailable else {
                throw BenchError("the bus does not watch \(source.aspect.name)")
            }
        }
    }

    private func check(_ costs: [SensorCost], hasDaemons: Bool) throws {
        for (name, cost, limit) in [
            ("foreground", costs[0], Self.mostWakeUps.awake), ("background", costs[1], Self.mostWakeUps.asleep),
        ] {
            guard cost.wakeUps > 0, cost.processorTime > 0 else {
                throw BenchError("in the \(name), the bus was not measured: it has ended, or watched nothing")
            }
            guard cost.wakeUps <= limit else {
                throw BenchError(
                    "in the \(name), the bus wakes up \(cost.wakeUps.rounded(to: 2)) times a second, more than \(limit)"
                )
            }
        }
        let limit = costs.dropFirst(2).reduce(0) { $0 + $1.processorTime }
        guard !hasDaemons || costs[0].processorTime <= limit else {
            throw BenchError("the bus takes more processor time than both daemons")
        }
    }

    /// Creates a phone with the properties by which iio-sensor-proxy finds its sensors.
    private static func phone() throws -> SyntheticPhone {
        let phone = try SyntheticPhone(
            batteries: 0, hasCharger: false, hasAccelerometer: false, hasGyroscope: false, hasProximitySensor: false)
        let testbed = phone.testbed
        _ = try testbed.add(
            subsystem: "power_supply", name: "BAT0",
            attributes: [
                "type": "Battery", "present": "1", "status": "Discharging", "capacity": "50", "energy_now": "25000000",
                "energy_full": "50000000", "energy_full_design": "50000000", "power_now": "5000000",
                "voltage_now": "3800000",
            ], properties: ["POWER_SUPPLY_NAME": "BAT0", "POWER_SUPPLY_TYPE": "Battery"])
        _ = try testbed.add(
            subsystem: "iio", name: "iio:device0",
            attributes: [
                "name": "accel", "in_accel_x_raw": "0", "in_accel_y_raw": "-1000", "in_accel_z_raw": "0",
                "in_accel_scale": "0.00981",
            ], properties: ["DEVTYPE": "iio_device", "IIO_SENSOR_PROXY_TYPE": "iio-poll-accel"])
        _ = try testbed.add(
            subsystem: "iio", name: "iio:device1",
            attributes: ["name": "proximity", "in_proximity_raw": "0", "in_proximity_nearlevel": "100"],
            properties: [
                "DEVTYPE": "iio_device", "IIO_SENSOR_PROXY_TYPE": "iio-poll-proximity", "PROXIMITY_NEAR_LEVEL": "100",
            ])
        return phone
    }

    private static func daemons(on phone: SyntheticPhone) -> Daemons? {
        do {
            return try Daemons(on: phone)
        } catch {
            print("iio-sensor-proxy and UPower are skipped: \(error)")
            return nil
        }
    }
}

/// The cost of a program while sensors are watched.
private struct SensorCost: CustomStringConvertible {
    /// The number a second.
    let wakeUps: Double
    /// The milliseconds a minute.
    let processorTime: Double

    var description: String { "| \(wakeUps.rounded(to: 2)) | \(processorTime.rounded(to: 1)) ms |" }
}
