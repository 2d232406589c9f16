// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import ReveilleWire

/// Measures how long a user waits for GetState while another user floods the bus in every available way, and for events
/// during a million changes.
///
/// As root, the benchmark uses three users: the bus's own, a flooding and a waiting user. Otherwise one user does all.
struct FloodBench {
    static let probeArgument = "flood-probe"
    private static let probes = 800
    /// The number of sleeping subscribers, and the size of the settings: lists and replies are long.
    private static let sleepers = 500
    private static let files = 10
    private static let keys = 500
    /// The limit for the 99th percentile, in microseconds.
    private static let limit = 50_000.0
    /// The most memory in kilobytes that a flood may add to the bus.
    private static let memoryLimit = 8_192
    /// The floods that change long values: each name keeps 64 KiB, also for a later save, so the limit does not apply.
    private static let publishing: Set<Flood> = [.values, .sleepers, .unreadStates, .unreadStarts, .unreadLists]

    func run() throws {
        let phone = try SyntheticPhone()
        for file in 0..<Self.files {
            let pairs = (0..<Self.keys).map { "\"a.setting.of.some.program.\($0)\": \($0)" }
            try phone.writeSettings("{" + pairs.joined(separator: ",") + "}", to: "program\(file).json")
        }
        let service = try BenchService(
            phone,
            configuration: geteuid() == 0
                ? #"{ publish: { allow: [{ names: "org.example.*", users: [\#(Flood.user)] }] } }"#
                : "{ bus: { connectionsPerUser: 1000 } }")
        let address = service.address
        let sleepers = try service.sleepers(Self.sleepers, to: .locale)
        // The socket is open to all users, but its directories belong to the phone's user.
        let parts = address.path.split(separator: "/")
        for count in parts.count - 2..<parts.count { chmod("/" + parts.prefix(count).joined(separator: "/"), 0o755) }
        if geteuid() != 0 { print("not root: flood and probe run as the same user") }
        report("GetState, quiet", try probe(address).summary)
        var (isTooSlow, isTooLarge) = (false, false)
        for kind in Flood.allCases where kind != .changes {
            let before = service.usage.residentMemory
            let flood = try kind.start(address).process
            let samples = try probe(address)
            let growth = service.usage.residentMemory - before
            if flood.hasEnded { throw BenchError("the flood \(kind) ended early") }
            flood.signal(SIGKILL)
            flood.wait()
            // The connections close before another flood is measured.
            poll(nil, 0, 500)
            let rest = service.usage.residentMemory - before
            report("GetState, \(kind.rawValue)", samples.summary + "; memory +\(growth) kB, then +\(rest) kB")
            isTooLarge = isTooLarge || !Self.publishing.contains(kind) && growth > Self.memoryLimit
            isTooSlow = isTooSlow || samples.percentile(0.99) > Self.limit
        }
        isTooSlow = try EventDelay(address).measure() > Self.limit || isTooSlow
        withExtendedLifetime((service, sleepers)) {}
        if isTooSlow { throw BenchError("a flood delayed another user by more than 50 ms") }
        if isTooLarge { throw BenchError("a flood added more than \(Self.memoryLimit) kB to the bus") }
    }

    private func probe(_ address: UnixAddress) throws -> Samples {
        let worker = try Worker([Self.probeArgument, address.description])
        var samples = Samples()
        while let time = worker.next() { samples.add(Double(time) / 1_000) }
        guard worker.process.wait() == 0 else { throw BenchError("the probe received no reply") }
        return samples
    }

    // MARK: - In the probe's process

    static func ask(_ arguments: [String]) throws {
        Flood.become(user: 65_533)
        let client = try BlockingClient(UnixAddress(arguments.first ?? ""))
        try MonotonicClock.periodically(while: { $0 < probes }) { due in
            _ = try client.call(.getState([.locale, .battery]), expecting: EventsReply.self)
            Worker.report(MonotonicClock.now - due)
        }
    }
}
