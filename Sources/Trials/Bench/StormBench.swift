// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Varlink

/// A million posts at full speed, with ten thousand sleeping and a hundred active subscribers in separate processes.
///
/// At the same time a battery changes as usual, and the flood must not delay its events for long.
struct StormBench {
    static let posts = 1_000_000
    private static let sleepers = 10_000
    private static let awake = 100
    private static let processes = 4

    func run() throws {
        let phone = try SyntheticPhone()
        let bus = try phone.startBus(configuration: PhoneBus.busy)
        let battery = try bus.client()
        try battery.subscribe(to: [.battery])
        let quiet = try latency(phone, battery) { $0 < 100 }

        // As many as descriptors allow: for each subscriber, the bus needs one for the connection and one for the
        // process.
        let sleepers = min(Self.sleepers, (DescriptorLimit.raise() - 1_000) / 2)
        let groups = try (0..<Self.processes).map { _ in
            try StormGroup.asleep.start(bus.address, count: sleepers / Self.processes)
        }
        let live = try (0..<Self.processes).map { _ in
            try StormGroup.awake.start(bus.address, count: Self.awake / Self.processes)
        }
        for group in groups + live { _ = try group.required() }
        let memory = bus.usage.residentMemory
        let flood = try StormGroup.flood.start(bus.address, count: Self.posts)
        var stormy = Samples()
        let seconds = try Clocks.seconds {
            stormy = try latency(phone, battery) { _ in !flood.process.hasEnded }
        }
        let grown = bus.usage.residentMemory - memory

        // Active subscribers receive every change, merged while they do not read; sleepers receive all changes in one
        // event.
        let events = try live.map { try Int($0.required()) }.reduce(0, +)
        for group in groups { group.wake() }
        let woken = try groups.map { try Int($0.required()) }.reduce(0, +)
        report("\(Self.posts) posts", "\(seconds.rounded(to: 0)) s, \(Int(Double(Self.posts) / seconds)) per second")
        report("woken by one event with all changes", "\(woken) of \(sleepers) sleepers")
        report("events until the latest state", "\(events) for \(Self.awake * Self.posts) changes")
        report("memory of the bus grew by", "\(grown) kB, to \(bus.usage.residentMemory) kB")
        report("uevent to subscriber, quiet", quiet.summary)
        report("uevent to subscriber, storm", stormy.summary)
        guard woken == sleepers else { throw BenchError("\(sleepers - woken) sleepers missed changes") }
    }

    private func latency(
        _ phone: SyntheticPhone, _ subscriber: BlockingClient, while isWanted: (Int) -> Bool
    ) throws -> Samples {
        var samples = Samples()
        var round = 0
        while isWanted(round) {
            let sent = Clocks.boot()
            try phone.testbed.unwatched { () throws(TestbedError) in
                try phone.battery.setLevel(round % 2 == 0 ? 0.5 : 0.49)
            }
            samples.add(try subscriber.waitForEvent() - sent)
            round += 1
        }
        return samples
    }
}

/// A group of clients of one kind in a separate process.
enum StormGroup: String {
    case asleep, awake, flood

    static let argument = "storm-group"

    func start(_ address: String, count: Int) throws -> Worker {
        try Worker([Self.argument, rawValue, address, "\(count)"])
    }

    // MARK: - In the group's process

    static func run(_ arguments: [String]) throws {
        guard arguments.count == 3, let group = StormGroup(rawValue: arguments[0]), let count = Int(arguments[2]) else {
            throw BenchError("invalid group: \(arguments)")
        }
        DescriptorLimit.raise()
        let address = try UnixAddress(arguments[1])
        let connect = { try BlockingClient(address) }
        switch group {
        case .flood: try flood(try connect(), count)
        case .asleep: try sleep(try (0..<count).map { _ in try connect() }, connect)
        case .awake: try watch(try (0..<count).map { _ in try connect() })
        }
    }

    private static func flood(_ client: BlockingClient, _ count: Int) throws {
        let pair = ["de_DE", "fr_FR"].flatMap { name in
            let locale = LocaleSettings(
                identifier: name, languages: [name], numeric: name, time: name, monetary: name, measurement: name)
            return Call(Post(.locale(locale)), isOneway: true).encoded()
        }
        let batch = (0..<100).flatMap { _ in pair }
        for _ in 0..<count / 200 { try client.send(batch) }
        // The reply follows the last post.
        try client.send(.fence)
        _ = try client.receive()
    }

    private static func sleep(_ clients: [BlockingClient], _ connect: () throws -> BlockingClient) throws {
        let names = try clients.map { try $0.subscribe(to: [.locale], isInBackground: true).subscription }
        Worker.report(Int64(clients.count))
        Worker.waitForWake()
        let control = try connect()
        var right = 0
        for (client, name) in zip(clients, names) {
            _ = try control.call(SetState(subscription: name, to: .foreground))
            if changes(try client.receive(expecting: [Event].self)) == StormBench.posts { right += 1 }
        }
        Worker.report(Int64(right))
    }

    private static func watch(_ clients: [BlockingClient]) throws {
        for client in clients { try client.subscribe(to: [.locale]) }
        Worker.report(Int64(clients.count))
        var received = Array(repeating: 0, count: clients.count)
        var events = 0
        while received.contains(where: { $0 < StormBench.posts }) {
            for (index, client) in clients.enumerated() where received[index] < StormBench.posts {
                received[index] += changes(try client.receive(expecting: [Event].self))
                events += 1
            }
        }
        Worker.report(Int64(events))
    }

    private static func changes(_ events: [Event]) -> Int {
        events.reduce(0) { $0 + $1.changeCount }
    }
}
