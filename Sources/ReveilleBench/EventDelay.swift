// SPDX-License-Identifier: Apache-2.0

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

    private let address: UnixAddress
    private let publisher: BlockingClient
    private let subscriber: BlockingClient

    init(_ address: UnixAddress) throws {
        self.address = address
        publisher = try BlockingClient(address)
        subscriber = try BlockingClient(address)
        try subscriber.subscribe(to: AspectSet(Self.name))
    }

    /// Prints the delays with and without the other user's changes, and returns the 99th percentile of the former.
    func measure() throws -> Double {
        let quiet = try samples { $0 < Self.probes }
        // The flood and the bus keep two processors busy, so two programs without the bus do the same for the
        // comparison.
        let busy = try (0..<2).map { _ in try ChildProcess(["sh", "-c", "while :; do :; done"]) }
        let contended = try samples { $0 < Self.probes }
        for program in busy {
            program.signal(SIGKILL)
            program.wait()
        }
        var flooded = Samples()
        let flood = try Flood.changes.start(address).process
        let seconds = try MonotonicClock.seconds { flooded = try samples { _ in !flood.hasEnded } }
        guard flood.exitCode == 0 else { throw BenchError("the changes ended early") }
        let other = try BlockingClient(address).call(.getState("org.example.flood"), expecting: EventsReply.self)
        guard other.events.first?.generation ?? 0 >= Flood.numberOfChanges else {
            throw BenchError("only \(other.events.first?.generation ?? 0) changes were published")
        }
        report("event, quiet", quiet.summary)
        report("event, busy processors", contended.summary)
        report("event, a million changes", flooded.summary)
        for (name, part) in [("medians", 0.5), ("99%", 0.99)] {
            let ratios = [quiet, contended].map { (flooded.percentile(part) / $0.percentile(part)).rounded(to: 2) }
            report("ratio of the \(name) to quiet, to busy", ratios.joined(separator: ", "))
        }
        report("changes per second", "\(Int(Double(Flood.numberOfChanges) / seconds))")
        return flooded.percentile(0.99)
    }

    /// Publishes changes while a condition on their number holds.
    private func samples(while isWanted: (Int) -> Bool) throws -> Samples {
        var samples = Samples()
        try MonotonicClock.periodically(while: isWanted) { time in
            let value: JSONObject = ["time": .integer(time)]
            try publisher.send(Call(.publish(PublishedValue(Self.name, value)), isOneway: true))
            samples.add(Double(try subscriber.waitForEvent() - time) / 1_000)
        }
        return samples
    }
}
