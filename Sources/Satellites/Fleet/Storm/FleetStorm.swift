// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting

/// Real connections of many devices to a real broker, with everything that ends or dies at random, and the promise checked
/// for each state at the end.
final class FleetStorm {
    /// The number of devices by default.
    static let usualCount = 10_000
    private static let seed: UInt64 = 17
    /// The descriptors of a device: the connection, its copy for the loop, libmosquitto's pair, and one to spare.
    private static let descriptors = 5
    /// The changes of each aspect in a phase.
    private static let changes = 5
    /// The time in seconds for which the broker is away in the storm.
    private static let outage = 5.0
    /// What is killed while everything changes.
    private enum Victim: String {
        case broker = "the broker"
        case reader = "the reader"
        case devices = "half of the devices, with their buses"
    }
    private static let kills: [Victim] = [.reader, .devices, .broker]
    /// The time in seconds in which a phase must be over.
    private static let patience = 240
    /// Milliseconds between two checks of a condition, which cost the devices time.
    private static let pollPause: Int32 = 500

    private let count: Int
    /// The number of processes with devices.
    private let groupCount: Int
    private let broker: StormBroker
    private var random = SplitMix64(seed: seed)
    private var groups: [CommandedProcess] = []
    private var reader: CommandedProcess
    private var rows: [[String]] = []
    /// When the devices returned after the storm, in seconds since the broker did.
    private var stormReturns: [Double] = []

    init(count: Int) throws {
        self.count = count
        let limit = DescriptorLimit.raise()
        // The broker has a connection to each, and files.
        guard count + Self.descriptors < limit else {
            throw Broken("\(count) devices need as many descriptors, but this user may open \(limit) in a process")
        }
        broker = try StormBroker()
        reader = try Self.reader(broker)
        // An even number, as half of them are killed.
        groupCount = 2 * (count * Self.descriptors / (2 * limit) + 1)
        for index in 0..<groupCount { groups.append(try group(index)) }
    }

    private var states: Int { count * SimulatedDevice.aspects.count }

    private static func reader(_ broker: StormBroker) throws -> CommandedProcess {
        try CommandedProcess([StormReader.argument, "\(broker.port)", broker.directory.path + "/positions"])
    }

    private func group(_ index: Int) throws -> CommandedProcess {
        let (first, end) = (count * index / groupCount, count * (index + 1) / groupCount)
        return try CommandedProcess([
            DeviceGroup.argument, "\(broker.port)", "\(first)", "\(end - first)", "\(random.next())",
        ])
    }

    func run() throws {
        let start = Clocks.boot()
        try settle()
        note(["all connected, all states published and read", seconds(since: start)])
        try sleepAndWake()
        try storm()
        for victim in Self.kills { try kill(victim) }
        try compare()
        let returns = stormReturns.sorted()
        guard !returns.isEmpty else { throw Broken("no device has returned after the storm") }
        for (name, part) in [("half of the", 0.5), ("95 % of the", 0.95), ("all", 1)] {
            let time = returns[min(returns.count - 1, Int(Double(returns.count) * part))]
            note(["\(name) devices connected after that", Self.text(time)])
        }
        print("| \(count) devices, \(states) states | figure |\n| --- | ---: |")
        for row in rows { print("| \(row[0]) | \(row[1]) |") }
    }

    /// Adds a row, and reports it as progress.
    private func note(_ row: [String]) {
        rows.append(row)
        let line = Array((row.joined(separator: ": ") + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }

    // MARK: - Phases

    private func changeAll() throws(Broken) { for group in groups { _ = try group.ask("change \(Self.changes)") } }

    /// The reader is away while everything changes: then one event for each state.
    private func sleepAndWake() throws {
        _ = try reader.ask("away")
        try changeAll()
        try settleDevices()
        let start = Clocks.boot()
        _ = try reader.ask("back")
        let figures = try settleReader()
        guard figures[2] == states else { throw Broken("\(figures[2]) events for \(states) states") }
        note([
            "reader away, \(Self.changes) changes of each state: events after its return", "\(figures[2])",
        ])
        note(["until it had them", seconds(since: start)])
        note(["of it the reader's rule", Self.text(Double(figures[3]) / 1e6)])
    }

    /// The broker dies and is away for a while, in which everything changes.
    private func storm() throws {
        broker.kill()
        try changeAll()
        poll(nil, 0, Int32(Self.outage * 1_000))
        // Devices return before this process knows that the broker has started.
        let start = Clocks.boot()
        try broker.start()
        try settle()
        note([
            "broker killed, \(Int(Self.outage)) s away: until everything was published and read", seconds(since: start),
        ])
        for (index, group) in groups.enumerated() {
            let path = broker.directory.path + "/connected\(index)"
            _ = try group.ask("connected \(path)")
            stormReturns += Tallies.read(path).compactMap { $0.first.flatMap { Int64($0) } }
                .map { max(0, Double($0 - start) / 1e6) }
        }
    }

    /// Kills something while everything changes.
    private func kill(_ victim: Victim) throws {
        if Bool.random(using: &random) { _ = try reader.ask("save") }
        try changeAll()
        switch victim {
        case .broker:
            broker.kill()
            try broker.start()
        case .reader:
            reader.kill()
            reader = try Self.reader(broker)
        case .devices:
            let half = Bool.random(using: &random) ? 0..<groupCount / 2 : groupCount / 2..<groupCount
            for index in half { groups[index].kill() }
            for index in half { groups[index] = try group(index) }
        }
        let start = Clocks.boot()
        try changeAll()
        try settle()
        note([
            "kill -9 of \(victim.rawValue)", seconds(since: start),
        ])
    }

    // MARK: - Conditions

    private func settle() throws {
        try settleDevices()
        _ = try settleReader()
    }

    /// Waits until the broker has acknowledged the newest state of all devices.
    private func settleDevices() throws {
        var settled = 0
        let start = Clocks.boot()
        repeat {
            guard Clocks.boot() - start < Int64(Self.patience) * 1_000_000 else {
                throw Broken("only \(settled) of \(count) devices have published everything")
            }
            poll(nil, 0, Self.pollPause)
            settled = 0
            for group in groups { settled += try group.ask("settled").first ?? 0 }
        } while settled < count
    }

    /// Waits until the reader has received what the broker has, and that is the truth.
    private func settleReader() throws -> [Int] {
        let start = Clocks.boot()
        while true {
            let figures = try reader.ask("figures")
            guard figures.count == 6, figures[4] == 0 else { throw Broken("\(figures[4]) events have wrong counts") }
            if figures[0] == 1, try differences().isEmpty { return figures }
            guard Clocks.boot() - start < Int64(Self.patience) * 1_000_000 else {
                throw Broken("the reader does not have the newest states: \(try differences().prefix(3))")
            }
            poll(nil, 0, Self.pollPause)
        }
    }

    /// Returns the states of which the reader does not have the newest one.
    private func differences() throws -> [String] {
        var truth: [String: (instance: String, generation: Int64)] = [:]
        for (index, group) in groups.enumerated() {
            let path = broker.directory.path + "/truth\(index)"
            _ = try group.ask("truth \(path)")
            for words in Tallies.read(path) where words.count == 3 {
                truth[words[0]] = (words[1], Int64(words[2]) ?? -1)
            }
        }
        let path = broker.directory.path + "/seen"
        _ = try reader.ask("dump \(path)")
        for words in Tallies.read(path) where words.count == 4 {
            guard let state = truth[words[0]], state.instance == words[1],
                state.generation == (Int64(words[2]) ?? 0) + (Int64(words[3]) ?? 0)
            else { continue }
            truth[words[0]] = nil
        }
        return truth.map { "\($0.key) \($0.value)" }
    }

    private func compare() throws {
        let different = try differences()
        guard different.isEmpty else {
            throw Broken("\(different.count) states are not the newest: \(different.prefix(3))")
        }
        let figures = try reader.ask("figures")
        note(["states with the newest value and an exact count at the end", "\(states)"])
        note(["problems that the reader reported", "\(figures[5])"])
    }

    private func seconds(since start: Int64) -> String { Self.text(Double(Clocks.boot() - start) / 1e6) }

    private static func text(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10) s" }
}
