// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Varlink

/// Measures how long a user waits for GetState and SetState while another user floods the bus in every available way, and
/// for events during a million changes.
///
/// As root, the benchmark uses three users: the bus's own, a flooding and a waiting user. Otherwise one user does all.
struct FloodBench {
    static let probeArgument = "flood-probe"
    /// The names to which the probe subscribes, and which a flood observes.
    static let watched: Aspect = "org.watched.*"
    private static let probes = 800
    /// The number of sleeping subscribers, and the size of the settings: lists and replies are long.
    private static let sleepers = 500
    private static let files = 10
    private static let keys = 500
    /// The limit for the 99th percentile, in microseconds.
    private static let limit = 50_000.0
    /// The most memory in kilobytes that a flood may add to the bus, unless it changes long values.
    private static let memoryLimit = 8_192

    func run() throws {
        let phone = try SyntheticPhone()
        for file in 0..<Self.files {
            let pairs = (0..<Self.keys).map { "\"a.setting.of.some.program.\($0)\": \($0)" }
            try phone.writeSettings("{" + pairs.joined(separator: ",") + "}", to: "program\(file).json")
        }
        let bus = try phone.startBus(
            configuration: geteuid() == 0
                ? #"{ publish: { allow: [{ names: "org.example.*", users: [\#(Flood.user)] }] } }"#
                : "{ bus: { connectionsPerUser: 1000 } }")
        let address = try UnixAddress(bus.address)
        let sleepers = try BlockingClient.sleepers(Self.sleepers, at: address, to: [.locale])
        // The socket is open to all users, but its directories belong to the phone's user.
        let parts = address.path.split(separator: "/")
        for count in parts.count - 2..<parts.count { chmod("/" + parts.prefix(count).joined(separator: "/"), 0o755) }
        if geteuid() != 0 { print("not root: flood and probe run as the same user") }
        for (call, samples) in try probe(bus) { report("\(call), quiet", samples.summary) }
        var (isTooSlow, isTooLarge) = (false, false)
        for kind in Flood.all {
            let before = bus.usage.residentMemory
            let flood = try kind.start(bus.address).process
            let calls = try probe(bus)
            let growth = bus.usage.residentMemory - before
            if flood.hasEnded { throw BenchError("the flood \(kind.name) ended early") }
            flood.signal(SIGKILL)
            flood.wait()
            // The connections close before another flood is measured.
            poll(nil, 0, 500)
            let rest = bus.usage.residentMemory - before
            for (call, samples) in calls {
                report("\(call), \(kind.name)", samples.summary)
                isTooSlow = isTooSlow || samples.percentile(0.99) > Self.limit
            }
            report("memory, \(kind.name)", "+\(growth) kB, then +\(rest) kB")
            isTooLarge = isTooLarge || !kind.publishes && growth > Self.memoryLimit
        }
        isTooSlow = try EventDelay(bus).measure() > Self.limit || isTooSlow
        withExtendedLifetime((bus, sleepers)) {}
        if isTooSlow { throw BenchError("a flood delayed another user by more than 50 ms") }
        if isTooLarge { throw BenchError("a flood added more than \(Self.memoryLimit) kB to the bus") }
    }

    /// Returns how long another user's calls take, which alternate.
    private func probe(_ bus: PhoneBus) throws -> KeyValuePairs<String, Samples> {
        let worker = try Worker([Self.probeArgument, bus.address])
        var (states, moves) = (Samples(), Samples())
        while let time = worker.next() {
            states.add(time)
            moves.add(try worker.required())
        }
        guard worker.process.wait() == 0 else { throw BenchError("the probe received no reply") }
        return ["GetState": states, "SetState": moves]
    }

    // MARK: - In the probe's process

    static func ask(_ arguments: [String]) throws {
        Flood.become(user: 65_533)
        let address = try UnixAddress(arguments.first ?? "")
        let (client, subscriber) = (try BlockingClient(address), try BlockingClient(address))
        let id = try subscriber.subscribe(to: [watched]).subscription
        var state = RequestedState.foreground
        try Clocks.periodically(while: { $0 < probes }) { due in
            _ = try client.call(GetState([.locale, .battery]))
            Worker.report(Clocks.boot() - due)
            state = state == .foreground ? .background : .foreground
            let start = Clocks.boot()
            _ = try client.call(SetState(subscription: id, to: state))
            Worker.report(Clocks.boot() - start)
        }
        withExtendedLifetime(subscriber) {}
    }
}

/// Measures how long a change takes from its publisher to a subscriber while another user publishes a million changes.
struct EventDelay {
    private static let name: Aspect = "org.probe.changed"
    private static let probes = 800

    private let bus: PhoneBus
    private let publisher: BlockingClient
    private let subscriber: BlockingClient

    init(_ bus: PhoneBus) throws {
        self.bus = bus
        publisher = try bus.client()
        subscriber = try bus.client()
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
        let flood = try Flood.changes.start(bus.address).process
        let seconds = try Clocks.seconds { flooded = try samples { _ in !flood.hasEnded } }
        guard flood.exitCode == 0 else { throw BenchError("the changes ended early") }
        let other = try bus.client().call(GetState(["org.example.flood"]))
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
        try Clocks.periodically(while: isWanted) { time in
            let value: JSONObject = ["time": .integer(time)]
            try publisher.send(Call(Publish(PublishedValue(Self.name, value)), isOneway: true))
            samples.add(try subscriber.waitForEvent() - time)
        }
        return samples
    }
}
