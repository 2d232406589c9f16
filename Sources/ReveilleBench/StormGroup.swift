// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// A group of clients of one kind in a separate process.
enum StormGroup: String {
    case asleep, awake, flood

    static let argument = "storm-group"

    /// Starts a group.
    func start(_ address: UnixAddress, count: Int) throws -> Worker {
        try Worker([Self.argument, rawValue, address.description, "\(count)"])
    }

    // MARK: - In the group's process

    /// Runs the group that the arguments describe.
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
            return Call(.post(.locale(locale)), isOneway: true).encoded()
        }
        let batch = (0..<100).flatMap { _ in pair }
        for _ in 0..<count / 200 { try client.send(batch) }
        // The reply follows the last post.
        try client.send(.fence)
        _ = try client.receive()
    }

    private static func sleep(_ clients: [BlockingClient], _ connect: () throws -> BlockingClient) throws {
        let names = try clients.map { try $0.subscribe(to: .locale, isInBackground: true).subscription }
        Worker.report(Int64(clients.count))
        Worker.waitForWake()
        let control = try connect()
        var right = 0
        for (client, name) in zip(clients, names) {
            _ = try control.call(.setState(subscription: name, to: .foreground))
            if changes(try client.receive(expecting: [Event].self)) == StormBench.posts { right += 1 }
        }
        Worker.report(Int64(right))
    }

    private static func watch(_ clients: [BlockingClient]) throws {
        for client in clients { try client.subscribe(to: .locale) }
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
        events.reduce(0) { $0 + $1.changes }
    }
}
