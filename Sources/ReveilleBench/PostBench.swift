// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem
import ReveilleTesting
import Varlink

/// Measures posts per second without subscribers and with sleeping ones.
struct PostBench {
    private static let posts = 100_000

    func run() throws {
        let phone = try SyntheticPhone()
        let service = try BenchService(phone)
        var listeners: [BenchClient] = []
        let control = try service.client()
        let alone = try measure(control)
        print("posts per second, no subscribers: \(alone)")
        for _ in 0..<1_000 {
            let client = try service.client()
            let parameters: JSONObject = ["aspects": ["proximity"], "state": "background"]
            try client.send(Call(method: "org.reveille.Bus.Subscribe", parameters: parameters, mode: .more))
            try client.receive()
            listeners.append(client)
        }
        let asleep = try measure(control)
        print("posts per second, 1,000 asleep:   \(asleep)")
        print("ratio: \(Double(Int(Double(asleep) / Double(alone) * 100)) / 100)")
        withExtendedLifetime(listeners) {}
    }

    /// Returns the posts per second.
    private func measure(_ client: BenchClient) throws -> Int {
        let call = { (state: String) in
            Call(
                method: "org.reveille.Bus.Post", parameters: ["proximity": .object(["state": .string(state)])],
                mode: .oneway)
        }
        let pair = call("near").encoded() + call("far").encoded()
        let batch = (0..<100).flatMap { _ in pair }
        let start = MonotonicClock.now
        for _ in 0..<Self.posts / 200 { try client.send(batch) }
        try client.send(Call(method: "org.reveille.Bus.ListSubscriptions"))
        try client.receive()
        return Int(Double(Self.posts) / (Double(MonotonicClock.now - start) / 1e9))
    }
}
