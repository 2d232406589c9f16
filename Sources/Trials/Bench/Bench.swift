// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// The project's benchmarks, which compare the bus with bare alternatives in a single run.
@main
enum Bench {
    /// This program, by a path that also works for users who cannot access its directory.
    static let program = "/proc/self/exe"

    /// The benchmarks by name, and parts of benchmarks that run in processes of their own.
    private static let programs: [String: @Sendable (_ arguments: [String]) throws -> Void] = [
        "latency": { _ in try LatencyBench().run() },
        LatencyBench.monitorArgument: { _ in try BareMonitor.run() },
        "messages": { _ in try MessageBench().run() },
        "storm": { _ in try StormBench().run() },
        StormGroup.argument: { try StormGroup.run($0) },
        "names": { _ in try NamesBench().run() },
        "times": { _ in try TimesBench().run() },
        "resume": { _ in try ResumeBench().run() },
        "flood": { _ in try FloodBench().run() },
        FloodBench.probeArgument: { try FloodBench.ask($0) },
        Flood.argument: { try Flood.run($0) },
        "dbus": { _ in try DBusBench().run() },
        DBusPlayer.argument: { try DBusPlayer.run($0) },
        "memory": { _ in try SubscriptionBench().run() },
        "sensors": { _ in
            try MotionBench().run()
            try SensorBench().run()
        },
    ]

    static func main() {
        guard let program = programs[CommandLine.arguments.dropFirst().first ?? ""] else {
            complain("usage: ReveilleBench latency|messages|storm|names|times|resume|flood|dbus|memory|sensors")
            exit(64)
        }
        do {
            try program(Array(CommandLine.arguments.dropFirst(2)))
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    private static func complain(_ text: String) {
        try? Output.write("ReveilleBench: \(text)\n".utf8, to: STDERR_FILENO, of: "stderr")
    }
}

/// A failure of a benchmark.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
