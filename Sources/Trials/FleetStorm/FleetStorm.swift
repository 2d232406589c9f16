// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleFleetCore
import ReveilleSimulation
import ReveilleSystem

/// Real connections of many devices to a real broker, and the real reader: everything ends or dies, and after each phase the
/// reader must have the newest state of each device, with exact counts.
struct FleetStorm {
    /// The default number of devices: a usual limit of 20,000 descriptors in a process suffices for them.
    static let usualCount = 2_000
    private static let seed: UInt64 = 17
    /// The descriptors of a device: the connection, libmosquitto's pair, and three pipes.
    private static let descriptors = 9
    private static let changes = 5
    /// How many milliseconds the broker is away in the storm.
    private static let outage: Int32 = 5_000
    /// The time in seconds in which a phase must be over.
    private static let patience = 240.0
    /// Milliseconds between two checks of a condition; checks cost the devices time.
    private static let pollPause: Int32 = 500

    private let count: Int
    private let broker: StormBroker
    private let halves: [StormDevices]
    private let reader: StormReader

    init(count: Int) throws {
        self.count = count
        let limit = DescriptorLimit.raise()
        guard (count + 1) * Self.descriptors < limit else {
            throw Broken("\(count) devices need \(Self.descriptors) descriptors each, this user may open \(limit)")
        }
        broker = try StormBroker()
        halves = [
            try StormDevices(0..<count / 2, on: broker.port, seed: Self.seed),
            try StormDevices(count / 2..<count, on: broker.port, seed: Self.seed + 1),
        ]
        reader = try StormReader(broker)
    }

    private var states: Int { count * SimulatedDevice.aspects.count }

    func run() async throws {
        print("| \(count) devices, \(states) states | figure |\n| --- | ---: |")
        try await phase("all connected, all states published and read") {
            for half in halves { try await half.start() }
        }
        try reader.end(by: SIGTERM)
        try await change()
        try await settleDevices(since: Clocks.boot())
        try await phase("reader away, \(Self.changes) changes of each state: until it had \(states) events") {
            try reader.start()
        }
        guard reader.events == states else { throw Broken("\(reader.events) events for \(states) states") }
        try await phase("broker killed, \(Self.outage / 1_000) s away: until everything was published and read") {
            broker.kill()
            try await change()
            poll(nil, 0, Self.outage)
            try broker.start()
        }
        try await phase("kill -9 of half of the devices, with their buses") {
            try await change()
            await halves[0].kill()
            try await halves[0].start()
            try await change()
        }
        try await phase("kill -9 of the broker") {
            try await change()
            broker.kill()
            try broker.start()
            try await change()
        }
        try await phase("kill -9 of the reader") {
            try await change()
            try reader.end(by: SIGKILL)
            try reader.start()
            try await change()
        }
    }

    private func change() async throws { for half in halves { await half.change(Self.changes) } }

    /// Runs a phase, and prints how long the reader takes to have the true states.
    private func phase(_ name: String, _ happen: () async throws -> Void) async throws {
        try await happen()
        let start = Clocks.boot()
        try await settleDevices(since: start)
        while true {
            try reader.read(until: Self.pollPause)
            let different = try await differences()
            if different.isEmpty { break }
            try check(start, "the reader does not have the newest states: \(different.prefix(3))")
        }
        print("| \(name) | \((Self.seconds(since: start) * 10).rounded() / 10) s |")
    }

    /// Waits until the broker has acknowledged the newest state of all devices.
    private func settleDevices(since start: Int64) async throws {
        while true {
            var settled = 0
            for half in halves { settled += await half.settled }
            if settled == count { return }
            try check(start, "only \(settled) of \(count) devices have published everything")
            // The reader must not be blocked.
            try reader.read(until: Self.pollPause)
        }
    }

    private func check(_ start: Int64, _ problem: String) throws(Broken) {
        guard Self.seconds(since: start) < Self.patience else { throw Broken(problem) }
    }

    private func differences() async throws -> [String] {
        let seen = reader.states
        var different: [String] = []
        for half in halves {
            different += await half.states.filter { seen[$0.key] != $0.value }.map { "\($0.key) \($0.value)" }
        }
        return different
    }

    private static func seconds(since start: Int64) -> Double { Double(Clocks.boot() - start) / 1e6 }
}

/// The program of `Scripts/fleet`.
@main
enum FleetStormCommand {
    static func main() async {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            guard let count = arguments.isEmpty ? FleetStorm.usualCount : Int(arguments.joined()), count > 0 else {
                throw Broken("usage: ReveilleFleetStorm [N]")
            }
            try await FleetStorm(count: count).run()
        } catch {
            let line = Array("fleet: \(error)\n".utf8)
            _ = write(STDERR_FILENO, line, line.count)
            exit(1)
        }
    }
}
