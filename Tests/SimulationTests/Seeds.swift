// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSimulation
import ReveilleTesting
import Testing

/// Simulated lives from seeds, whose failures can be reproduced.
///
/// `REVEILLE_SEED=N` runs a single life and prints its events.
enum Seeds {
    private static let wanted = getenv("REVEILLE_SEED").flatMap { UInt64(String(cString: $0)) }
    /// The number of lives, a minute or two of a processor.
    ///
    /// `REVEILLE_SEEDS=N` changes it; Scripts/soak runs more.
    private static let count = getenv("REVEILLE_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 300
    /// The lives of a range, which take seconds: other tests that wait continue between two ranges.
    private static let share: UInt64 = 50
    /// The ranges, which run in parallel.
    static let ranges: [ClosedRange<UInt64>] =
        wanted.map { [$0...$0] }
        ?? stride(from: 0, to: max(1, count), by: Int(share)).map {
            $0 + 1...min($0 + share, max(1, count))
        }

    /// Prints the events of a single life.
    static let note: (@Sendable (String) -> Void)? = wanted == nil ? nil : { @Sendable line in print(line) }

    /// Saves the decisions of a single life as an input of the fuzz target `lives`.
    static func keep(_ script: [UInt8], of seed: UInt64) {
        guard wanted != nil else { return }
        let path = directory + "/\(seed).life"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0, write(descriptor, script, script.count) == script.count else { return }
        close(descriptor)
        print("saved the decisions of this life to \(path)")
    }

    fileprivate static let directory = #filePath.replacing("Tests/SimulationTests/Seeds.swift", with: ".build/seeds")

    /// Runs the life of each seed until one fails.
    ///
    /// Since a trap ends the process with all its tests, the seed of the current life is in a file of `.build/seeds`
    /// until all lives of its range have ended, and `Scripts/test` prints it.
    static func run(
        _ seeds: ClosedRange<UInt64>, of test: String,
        _ life: (_ seed: UInt64, _ directory: String) throws -> Void
    ) throws {
        let directory = try TemporaryDirectory()
        let trace = try SeedTrace(test, seeds)
        for seed in seeds {
            trace.write(seed)
            do {
                try life(seed, directory.path)
            } catch {
                Issue.record("seed \(seed): \(error); reproduce with REVEILLE_SEED=\(seed)")
                return
            }
        }
    }
}

/// A file with the seed of the current life, which remains if the process crashes.
private struct SeedTrace: ~Copyable {
    private let path: String
    private let descriptor: Int32
    private let test: String

    init(_ test: String, _ seeds: ClosedRange<UInt64>) throws {
        for parent in [Seeds.directory.replacing("/seeds", with: ""), Seeds.directory] { mkdir(parent, 0o755) }
        path = "\(Seeds.directory)/\(test)-\(seeds.lowerBound)"
        self.test = test
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Broken("cannot write \(path)") }
    }

    deinit {
        unlink(path)
        close(descriptor)
    }

    func write(_ seed: UInt64) {
        let line = Array("REVEILLE_SEED=\(seed) Scripts/test --filter \(test)\n".utf8)
        pwrite(descriptor, line, line.count, 0)
        ftruncate(descriptor, off_t(line.count))
    }
}
