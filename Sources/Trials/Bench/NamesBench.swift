// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Varlink

/// Measures a million changes of a thousand published names, while a thousand subscribers to a pattern sleep.
struct NamesBench {
    private static let names = 1_000
    private static let sleepers = 1_000
    private static let posts = 1_000_000

    func run() throws {
        let phone = try SyntheticPhone()
        let bus = try phone.startBus(configuration: PhoneBus.busy)
        let publisher = try bus.client()
        let alone = try publish(Self.posts / 10, with: publisher)
        let clients = try (0..<Self.sleepers).map { _ in try bus.client() }
        let empty = bus.usage.residentMemory
        let subscriptions = try clients.map { client in
            try client.subscribe(to: ["org.example.*"], isInBackground: true).subscription
        }
        let before = bus.usage.residentMemory
        let asleep = try publish(Self.posts, with: publisher)
        let after = bus.usage.residentMemory

        var woken = 0
        for (client, subscription) in zip(clients, subscriptions) {
            _ = try publisher.call(SetState(subscription: subscription, to: .foreground))
            let events = try client.receive(expecting: [Event].self)
            let isExact = events.allSatisfy { $0.changeCount == Self.posts / Self.names }
            if isExact, Set(events.map(\.aspect)).count == Self.names, events.count == Self.names { woken += 1 }
        }
        print("\(Self.names) names, \(Self.sleepers) subscribers to a pattern asleep, \(Self.posts) posts")
        report("posts per second, no subscribers", "\(alone)")
        report("posts per second, all asleep", "\(asleep)")
        report("ratio", (Double(asleep) / Double(alone)).rounded(to: 2))
        report("memory of the subscriptions", "\(before - empty) kB, to \(before) kB")
        report("memory grew during the posts by", "\(after - before) kB, to \(after) kB")
        report("woken by one event for each name", "\(woken)")
        guard woken == Self.sleepers else { throw BenchError("\(Self.sleepers - woken) sleepers missed changes") }
    }

    /// Publishes changes of all names in turn, and returns the number per second.
    private func publish(_ count: Int, with client: BlockingClient) throws -> Int {
        let seconds = try Clocks.seconds {
            try client.send(count) { number in
                let value: JSONObject = ["changed": .integer(Int64(count + number))]
                return Publish(PublishedValue(Aspect(stringLiteral: "org.example.name\(number % Self.names)"), value))
            }
        }
        return Int(Double(count) / seconds)
    }
}
