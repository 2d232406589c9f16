// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSimulation
import ReveilleTesting
import Testing

/// Lives from seeds, and how one that went wrong is found again.
///
/// `REVEILLE_SEED=N` runs one of them alone and prints what happens.
enum Seeds {
    private static let wanted = getenv("REVEILLE_SEED").flatMap { UInt64(String(cString: $0)) }
    /// How many there are; `REVEILLE_SEEDS=N` takes more.
    private static let count = getenv("REVEILLE_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 2_000
    /// Side by side, as many as there may be processors.
    static let ranges: [ClosedRange<UInt64>] =
        wanted.map { [$0...$0] } ?? stride(from: 0, to: count, by: Int(count / 4)).map { $0 + 1...$0 + count / 4 }

    /// Takes the lines of what happens in a life that runs alone.
    static let note: (@Sendable (String) -> Void)? = wanted == nil ? nil : { @Sendable line in print(line) }

    /// Runs the life of each seed, until one goes wrong.
    ///
    /// A trap ends the process with all its tests. So that it can be found again, the seed is in a file of
    /// `.build/seeds` from before its life begins until all lives of its range are over; `Scripts/test` prints it.
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
                Issue.record("seed \(seed): \(error); run it alone with REVEILLE_SEED=\(seed)")
                return
            }
        }
    }
}

/// A file that names the seed whose life runs; it stays when the process ends in it.
private struct SeedTrace: ~Copyable {
    private let path: String
    private let descriptor: Int32
    private let test: String

    init(_ test: String, _ seeds: ClosedRange<UInt64>) throws {
        let directory = #filePath.replacing("Tests/SimulationTests/Seeds.swift", with: ".build/seeds")
        for parent in [directory.replacing("/seeds", with: ""), directory] { mkdir(parent, 0o755) }
        path = "\(directory)/\(test)-\(seeds.lowerBound)"
        self.test = test
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Broken("\(path) cannot be written") }
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
