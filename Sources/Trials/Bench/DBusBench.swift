// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleCore
import ReveilleHost
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Varlink

/// Measures the time from a signal on D-Bus to the event, without and with a service that floods `reveille-dbus`.
struct DBusBench {
    private static let samples = 500
    /// The signals of the hostile service in a second.
    private static let rate = 10_000
    /// The limit for the 99th percentile, in microseconds.
    private static let limit = 5_000.0
    /// The most memory in kilobytes that a flood may add.
    private static let memoryLimit = 1_024

    func run() throws {
        let bus = try SyntheticPhone().startBus()
        let directory = try TemporaryDirectory(forSocket: "/dbus")
        let address = "unix:path=\(directory.path)/dbus"
        let daemon = try ChildProcess(["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address])
        while access(directory.path + "/dbus", F_OK) != 0, !daemon.hasEnded { poll(nil, 0, 10) }
        let satellite = try ChildProcess(
            [ChildProcess.sibling("reveille-dbus"), "--address", bus.address],
            environment: Environment.all.merging(["DBUS_SESSION_BUS_ADDRESS": address]) { $1 })
        let good = try Worker([DBusPlayer.argument, address, "good", "50"])
        let subscriber = try bus.client()
        try subscriber.subscribe(to: ["org.mpris.player.good"])
        report("signal to event, quiet", try measure(subscriber).summary)

        let flood = try Worker([DBusPlayer.argument, address, "bad", "\(Self.rate)"])
        _ = try measure(subscriber)
        let usage = ProcessUsage(pid: satellite.pid)
        let before = (memory: usage.residentMemory, time: usage.processorTime, sent: try sent(by: flood))
        var flooded = Samples()
        let seconds = try Clocks.seconds { flooded = try measure(subscriber) }
        let rate = Double(try sent(by: flood) - before.sent) / seconds
        let growth = usage.residentMemory - before.memory
        report("signal to event, flood", flooded.summary)
        report("signals of the flood per second", rate.rounded(to: 0))
        report(
            "processor time of the satellite",
            "\((Double(usage.processorTime - before.time) / seconds / 1e7).rounded(to: 0))%")
        report("memory of the satellite", "+\(growth) kB, to \(before.memory + growth) kB")
        for process in [flood.process, good.process, satellite, daemon] {
            process.signal(SIGTERM)
            process.wait()
        }
        guard rate > Double(Self.rate) * 0.9 else { throw BenchError("the flood is too slow") }
        guard flooded.percentile(0.99) < Self.limit else { throw BenchError("a flood delays another service's event") }
        guard growth < Self.memoryLimit else { throw BenchError("a flood adds memory") }
    }

    private func sent(by flood: Worker) throws -> Int64 {
        flood.wake()
        return try flood.required()
    }

    /// Reads events whose values have the times of their signals.
    private func measure(_ subscriber: BlockingClient) throws -> Samples {
        var samples = Samples()
        for _ in 0..<Self.samples {
            let events = try subscriber.receive(expecting: [Event].self)
            guard let time = events.last?.published?.structure.objectValue?["volume"]?.numberValue else { continue }
            samples.add(Clocks.boot() - Int64(time))
        }
        return samples
    }
}

/// A player on D-Bus that changes its volume all the time, to the time of its signal, in a process of its own.
final class DBusPlayer {
    static let argument = "dbus-player"
    private static let path = "/org/mpris/MediaPlayer2"
    private static let interface = "org.mpris.MediaPlayer2.Player"

    private let connection: DBusConnection
    private var object: DBusHandler?
    private var timer: EventSource?
    private var question: EventSource?
    private let rate: Int
    private let start = Clocks.boot()
    private var sent = 0

    private init(_ address: String, rate: Int, on loop: EventLoop) throws {
        connection = try DBusConnection(to: .address(address), loop: loop)
        self.rate = rate
        object = try connection.serve(Self.path) { [unowned self] call in
            try? connection.answer(call, with: [.dictionary([("Volume", .real(0))])])
        }
        question = try loop.watch(STDIN_FILENO, for: .readable) { [unowned self] _ in
            Worker.waitForWake()
            Worker.report(Int64(sent))
        }
        timer = try loop.timer { [unowned self] in
            // A full queue has room later.
            try? signal()
            timer?.fire(after: .milliseconds(1))
        }
    }

    /// Sends the signals that are due: at most a millisecond's worth is late.
    private func signal() throws {
        while sent * 1_000_000 < Int(Clocks.boot() - start) * rate {
            let volume = DBusValue.dictionary([("Volume", .real(Double(Clocks.boot())))])
            try connection.signal(
                Self.path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
                [.string(Self.interface), volume, .strings([])])
            sent += 1
        }
    }

    static func run(_ arguments: [String]) throws {
        guard arguments.count == 3, let rate = Int(arguments[2]) else { throw BenchError("wrong: \(arguments)") }
        let loop = try EventLoop()
        let player = try DBusPlayer(arguments[0], rate: rate, on: loop)
        try player.connection.request(name: "org.mpris.MediaPlayer2." + arguments[1], timeout: .seconds(10)) { _ in
            player.timer?.fire(after: .zero)
        }
        try withExtendedLifetime(player) { try loop.run() }
    }
}
