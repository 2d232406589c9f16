// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Reveille
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import ReveilleWire

/// Measures how long a user waits for GetState while another user floods the bus in every available way, and for events
/// during a million changes.
///
/// As root, it uses three users: the bus's own, the flooding one and the waiting one. Otherwise all are the same.
struct FloodBench {
    static let probeArgument = "flood-probe"
    private static let probes = 800
    /// The interval in nanoseconds at which calls are due, regardless of earlier replies.
    private static let period: Int64 = 10_000_000
    /// The number of sleeping subscribers, and the size of the settings: lists and replies are long.
    private static let sleepers = 500
    private static let files = 10
    private static let keys = 500
    /// The limit for the 99th percentile, in microseconds.
    private static let limit = 50_000.0
    /// The most memory in kilobytes that a flood may add to the bus.
    private static let memoryLimit = 8_192
    /// The floods that change long values, of which each name keeps 64 KiB, and which are saved later; the limit does not
    /// apply to them.
    private static let publishing: Set<Flood> = [.values, .sleepers, .unreadStates, .unreadStarts, .unreadLists]

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
        let sleepers = try (0..<Self.sleepers).map { _ in
            let client = try BlockingClient(address)
            try client.subscribe(to: .locale, isInBackground: true)
            return client
        }
        // The socket is open to all users, but its directories belong to the phone's user.
        let parts = address.path.split(separator: "/")
        for count in parts.count - 2..<parts.count { chmod("/" + parts.prefix(count).joined(separator: "/"), 0o755) }
        if geteuid() != 0 { print("not root: flood and probe run as the same user") }
        let quiet = try probe(address)
        print(Self.line("quiet", quiet))
        var (isTooSlow, isTooLarge) = (false, false)
        let usage = ProcessUsage(pid: bus.processIdentifier)
        for kind in Flood.allCases where kind != .changes {
            let before = usage.residentMemory
            let flood = try ChildProcess(
                [Bench.program, Flood.argument, kind.rawValue, address.description])
            let samples = try probe(address)
            let growth = usage.residentMemory - before
            if flood.hasEnded { throw BenchError("the flood \(kind) ended early") }
            flood.signal(SIGKILL)
            flood.wait()
            // The connections close before another flood is measured.
            poll(nil, 0, 500)
            print(
                Self.line(kind.rawValue, samples)
                    + "; memory +\(growth) kB, then +\(usage.residentMemory - before) kB")
            isTooLarge = isTooLarge || !Self.publishing.contains(kind) && growth > Self.memoryLimit
            isTooSlow = isTooSlow || samples.percentile(0.99) > Self.limit
        }
        isTooSlow = try EventDelay(address).measure() > Self.limit || isTooSlow
        withExtendedLifetime((bus, sleepers)) {}
        if isTooSlow { throw BenchError("a flood delayed another user by more than 50 ms") }
        if isTooLarge { throw BenchError("a flood added more than \(Self.memoryLimit) kB to the bus") }
    }

    private static func line(_ name: String, _ samples: Samples) -> String {
        samples.line("GetState, \(name)")
    }

    private func probe(_ address: UnixAddress) throws -> Samples {
        let pipe = try Pipe()
        let process = try ChildProcess(
            [Bench.program, Self.probeArgument, address.description], descriptors: [1: pipe.writable])
        pipe.closeWritingEnd()
        var samples = Samples()
        var time: Int64 = 0
        while read(pipe.readingEnd, &time, 8) == 8 { samples.add(Double(time) / 1_000) }
        guard process.wait() == 0 else { throw BenchError("the probe received no reply") }
        return samples
    }

    // MARK: - In the probe's process

    static func ask(_ arguments: [String]) throws {
        Flood.become(user: 65_533)
        let client = try BlockingClient(UnixAddress(arguments.first ?? ""))
        let start = MonotonicClock.now
        for probe in 0..<probes {
            // A call delayed by the previous one has waited since the time at which it was due.
            var time = start + Int64(probe) * period
            let early = time - MonotonicClock.now
            if early > 0 {
                poll(nil, 0, Int32(early / 1_000_000 + 1))
                time = MonotonicClock.now
            }
            _ = try client.call(.getState([.locale, .battery]), expecting: EventsReply.self)
            time = MonotonicClock.now - time
            guard write(STDOUT_FILENO, &time, 8) == 8 else { return }
        }
    }
}
