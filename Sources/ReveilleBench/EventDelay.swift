// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Reveille
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Varlink

/// Measures how long a change takes from its publisher to a subscriber while another user publishes a million changes.
struct EventDelay {
    private static let name: Aspect = "org.probe.changed"
    private static let probes = 800
    /// The interval in nanoseconds at which changes are due, regardless of earlier events.
    private static let period: Int64 = 10_000_000

    private let address: UnixAddress
    private let publisher: BlockingClient
    private let subscriber: BlockingClient

    init(_ address: UnixAddress) throws {
        self.address = address
        publisher = try BlockingClient(address)
        subscriber = try BlockingClient(address)
        try subscriber.subscribe(to: AspectSet(Self.name))
    }

    /// Prints the delays with and without the changes of the other user, and returns the 99th percentile with them.
    func measure() throws -> Double {
        let quiet = try samples { $0 < Self.probes }
        // The flood and the bus keep two processors busy. Two programs that do not use the bus do the same.
        let busy = try (0..<2).map { _ in try ChildProcess(["sh", "-c", "while :; do :; done"]) }
        let contended = try samples { $0 < Self.probes }
        for program in busy {
            program.signal(SIGKILL)
            program.wait()
        }
        let start = MonotonicClock.now
        let flood = try ChildProcess(
            [Bench.program, Flood.argument, Flood.changes.rawValue, address.description])
        let flooded = try samples { _ in !flood.hasEnded }
        let seconds = Double(MonotonicClock.now - start) / 1e9
        guard flood.exitCode == 0 else { throw BenchError("the changes ended early") }
        let other = try BlockingClient(address).call(.getState("org.example.flood"), expecting: EventsReply.self)
        guard other.events.first?.generation ?? 0 >= Flood.numberOfChanges else {
            throw BenchError("only \(other.events.first?.generation ?? 0) changes were published")
        }
        print(quiet.line("event, quiet"))
        print(contended.line("event, busy processors"))
        print(flooded.line("event, a million changes"))
        print(
            "ratio of the medians to quiet: \(ratio(0.5, flooded, quiet)), to busy: \(ratio(0.5, flooded, contended))")
        print("ratio of 99% to quiet: \(ratio(0.99, flooded, quiet)), to busy: \(ratio(0.99, flooded, contended))")
        print("changes per second: \(Int(Double(Flood.numberOfChanges) / seconds))")
        return flooded.percentile(0.99)
    }

    private func ratio(_ part: Double, _ one: Samples, _ other: Samples) -> Double {
        (one.percentile(part) / other.percentile(part) * 100).rounded() / 100
    }

    /// Publishes a change in each period for as long as a condition of their number is true.
    private func samples(while isWanted: (Int) -> Bool) throws -> Samples {
        var samples = Samples()
        let start = MonotonicClock.now
        var probe: Int64 = 0
        while isWanted(Int(probe)) {
            let due = start + probe * Self.period
            let early = due - MonotonicClock.now
            if early > 0 { poll(nil, 0, Int32(early / 1_000_000 + 1)) }
            // A change delayed by the previous one has waited since the time at which it was due.
            let time = early > 0 ? MonotonicClock.now : due
            let value: JSONObject = ["time": .integer(time)]
            try publisher.send(Call(.publish(PublishedValue(Self.name, value)), isOneway: true))
            samples.add(Double(try subscriber.waitForEvent() - time) / 1_000)
            probe += 1
        }
        return samples
    }
}
