// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleSystem
import ReveilleTesting

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
        let service = try BenchService(phone)
        let battery = try service.client()
        try battery.subscribe(to: .battery)
        let quiet = try latency(phone, battery) { $0 < 100 }

        // As many as descriptors allow: for each subscriber, the bus needs one for the connection and one for the
        // process.
        let sleepers = min(Self.sleepers, (DescriptorLimit.raise() - 1_000) / 2)
        let groups = try (0..<Self.processes).map { _ in
            try StormGroup.asleep.start(service.address, count: sleepers / Self.processes)
        }
        let live = try (0..<Self.processes).map { _ in
            try StormGroup.awake.start(service.address, count: Self.awake / Self.processes)
        }
        for group in groups + live { _ = try group.required() }
        let memory = service.usage.residentMemory
        let flood = try StormGroup.flood.start(service.address, count: Self.posts)
        var stormy = Samples()
        let seconds = try MonotonicClock.seconds {
            stormy = try latency(phone, battery) { _ in !flood.process.hasEnded }
        }
        let grown = service.usage.residentMemory - memory

        // Active subscribers receive every change, merged while they do not read; sleepers receive all changes in one
        // event.
        let events = try live.map { try Int($0.required()) }.reduce(0, +)
        for group in groups { group.wake() }
        let woken = try groups.map { try Int($0.required()) }.reduce(0, +)
        report("\(Self.posts) posts", "\(seconds.rounded(to: 0)) s, \(Int(Double(Self.posts) / seconds)) per second")
        report("woken by one event with all changes", "\(woken) of \(sleepers) sleepers")
        report("events until the latest state", "\(events) for \(Self.awake * Self.posts) changes")
        report("memory of the bus grew by", "\(grown) kB, to \(service.usage.residentMemory) kB")
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
            let sent = MonotonicClock.now
            try phone.testbed.unwatched { () throws(TestbedError) in
                try phone.battery.setLevel(round % 2 == 0 ? 0.5 : 0.49)
            }
            samples.add(Double(try subscriber.waitForEvent() - sent) / 1_000)
            round += 1
        }
        return samples
    }
}
