// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The project's benchmarks, which compare the bus with bare alternatives in a single run.
@main
enum Bench {
    /// This program, by a path that also works for users who cannot access its directory.
    static let program = "/proc/self/exe"

    static func main() {
        do {
            switch CommandLine.arguments.dropFirst().first {
            case "latency": try LatencyBench().run()
            case LatencyBench.monitorArgument: try BareMonitor.run()
            case "posts": try PostBench().run()
            case "readers": ReaderBench().run()
            case "messages": try MessageBench().run()
            case "storm": try StormBench().run()
            case StormGroup.argument: try StormGroup.run(Array(CommandLine.arguments.dropFirst(2)))
            case "names": try NamesBench().run()
            case "times": try TimesBench().run()
            case "flood": try FloodBench().run()
            case "memory":
                try FootprintBench(program: CommandLine.arguments.dropFirst(2).first ?? ReveillePeer().program).run()
            case "sensors":
                try MotionBench().run()
                try SensorBench().run()
            case "peers": try PeerBench().run(plots: "Docs/Performance")
            case BarePeer.argument: try BarePeer.run(Array(CommandLine.arguments.dropFirst(2)))
            case ZeroMQPeer.argument: try ZeroMQPeer.run(Array(CommandLine.arguments.dropFirst(2)))
            case "instructions", "record":
                try InstructionBench().run(
                    record: "Docs/Performance/instructions", isRecording: CommandLine.arguments[1] == "record")
            case FloodBench.probeArgument: try FloodBench.ask(Array(CommandLine.arguments.dropFirst(2)))
            case Flood.argument: try Flood.run(Array(CommandLine.arguments.dropFirst(2)))
            default:
                complain(
                    "usage: ReveilleBench latency|posts|readers|messages|storm|names|times|flood|memory|sensors|peers|instructions|record"
                )
                exit(64)
            }
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    private static func complain(_ text: String) {
        let line = Array(("ReveilleBench: " + text + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}

/// A failure of a benchmark.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Durations in microseconds.
struct Samples {
    private var values: [Double] = []

    mutating func add(_ microseconds: Double) { values.append(microseconds) }

    var count: Int { values.count }

    mutating func add(_ others: Samples) { values += others.values }

    /// Returns the value that the given fraction of the samples does not exceed.
    func percentile(_ part: Double) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }

    var summary: String {
        let round = { (value: Double) in "\(value.rounded())".replacing(".0", with: "") }
        return "median \(round(percentile(0.5))), 99% \(round(percentile(0.99))) microseconds"
    }

    /// Returns the summary in a column of its own.
    func line(_ name: String) -> String {
        "\(name):" + String(repeating: " ", count: max(1, 25 - name.utf8.count)) + summary
    }
}
