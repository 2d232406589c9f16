// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What fleets of phones cost, by the traffic of the simulated day.
struct FleetArithmetic {
    private static let fleets = [100_000, 10_000_000]
    private static let daysOfMonth = 30.0
    private static let minutesOfMonth = 43_200.0
    /// The memory of mosquitto 2.0.11 for a retained topic of 60 bytes with a payload of 150, measured.
    private static let retainedBytes = 830
    /// The retained topics of a device: four states and the status.
    private static let topics = 5
    /// The time in seconds for which a device is connected at a wake.
    private static let wakeSeconds = 5.0
    /// The keep-alive that most clients use, in seconds.
    private static let usualKeepAlive = 60.0
    /// New connections per second of a large cluster: EMQX's and HiveMQ's published tests are near it.
    private static let connectionsPerSecond = 20_000
    /// The longest pause of a bridge's full jitter in seconds.
    private static let longestPause = 300

    func print() {
        let days = DayTable.messages(of: .phone)
        for devices in Self.fleets {
            Swift.print("\(Table.grouped(devices)) phones:\n")
            Table.print(
                [
                    "connection", "messages/s", "keep-alives/s", "connects/s", "traffic a month", "messages, $ a month",
                    "connections, $",
                ],
                days.map { row(of: $0.name, $0.traffic, devices) })
            Swift.print("")
        }
        let memory = Self.fleets.map { devices in
            "\(gigabytes(Double(devices * Self.topics * Self.retainedBytes))) for \(Table.grouped(devices)) devices"
        }
        Swift.print(
            """
            - Memory of the broker for \(Self.topics) retained topics a device, at \(Self.retainedBytes) bytes each: \
            \(memory.joined(separator: ", ")).
            - A keep-alive of \(Int(Self.usualKeepAlive)) s instead of \(Int(DayBridge.keepAlive)) s would be \
            \(Self.fleets.map { Table.rounded(Double($0) / Self.usualKeepAlive) }.joined(separator: " and ")) PINGREQ/s.
            - All devices at once, spread over \(Self.longestPause) s: \
            \(Self.fleets.map { Table.grouped($0 / Self.longestPause) }.joined(separator: " and ")) connects/s on average. \
            At \(Table.grouped(Self.connectionsPerSecond))/s, the larger fleet needs \
            \(Self.fleets[1] / Self.connectionsPerSecond) s.
            - Prices are examples (AWS IoT Core, \(Prices.date), quoted by third parties).
            """)
    }

    private func row(of name: String, _ traffic: DayTraffic, _ devices: Int) -> [String] {
        let perSecond = { (daily: Int) in Table.rounded(Double(daily * devices) / PhoneDay.length) }
        let month = { (daily: Int) in Double(daily * devices) * Self.daysOfMonth }
        // A bridge that stays connected sends keep-alives.
        let minutes =
            traffic.keepAlives > 0
            ? Double(devices) * Self.minutesOfMonth : month(traffic.connections) * Self.wakeSeconds / 60
        return [
            name, perSecond(traffic.messages), perSecond(traffic.keepAlives), perSecond(traffic.connections),
            gigabytes(month(traffic.onWire)), dollars(Prices.retained(month(traffic.messages + traffic.statuses))),
            dollars(Prices.connected(minutes: minutes)),
        ]
    }

    private func gigabytes(_ bytes: Double) -> String {
        bytes < 1e12 ? Table.rounded(bytes / 1e9) + " GB" : Table.rounded(bytes / 1e12) + " TB"
    }

    private func dollars(_ amount: Double) -> String { Table.decimal(amount, 0) }
}
