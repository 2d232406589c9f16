// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleCore
import ReveilleTesting
import ReveilleWire
import Varlink

/// Measures posts per second without subscribers and with sleeping ones.
struct PostBench {
    private static let posts = 100_000

    func run() throws {
        let phone = try SyntheticPhone()
        let service = try BenchService(phone)
        var listeners: [BlockingClient] = []
        let control = try service.client()
        let alone = try measure(control)
        print("posts per second, no subscribers: \(alone)")
        for _ in 0..<1_000 {
            let client = try service.client()
            try client.subscribe(to: .proximity, isInBackground: true)
            listeners.append(client)
        }
        let asleep = try measure(control)
        print("posts per second, 1,000 asleep:   \(asleep)")
        print("ratio: \(Double(Int(Double(asleep) / Double(alone) * 100)) / 100)")
        withExtendedLifetime(listeners) {}
    }

    /// Posts a second.
    private func measure(_ client: BlockingClient) throws -> Int {
        let pair = [Proximity.near, .far].flatMap { Call(.post(.proximity($0)), isOneway: true).encoded() }
        let batch = (0..<100).flatMap { _ in pair }
        let start = MonotonicClock.now
        for _ in 0..<Self.posts / 200 { try client.send(batch) }
        try client.send(Call(.listSubscriptions))
        _ = try client.receive()
        return Int(Double(Self.posts) / (Double(MonotonicClock.now - start) / 1e9))
    }
}
