// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting

/// A process of this program with a part of a benchmark, which reports numbers and ends with its owner.
final class Worker {
    let process: ChildProcess
    private let numbers: Pipe
    private let commands: Pipe

    init(_ arguments: [String], environment: [String: String] = Environment.all) throws {
        numbers = try Pipe()
        commands = try Pipe()
        process = try ChildProcess(
            [Bench.program] + arguments, environment: environment,
            descriptors: [STDIN_FILENO: commands.readingEnd, STDOUT_FILENO: numbers.writable])
        numbers.closeWritingEnd()
    }

    /// Returns the next number; `nil` after the end of the process.
    func next() -> Int64? {
        var number: Int64 = 0
        return read(numbers.readingEnd, &number, 8) == 8 ? number : nil
    }

    /// Returns the next number, which the process must report before it ends.
    func required() throws -> Int64 {
        guard let number = next() else { throw BenchError("a process of the benchmark ended early") }
        return number
    }

    /// Lets ``waitForWake()`` return.
    func wake() { commands.wake() }

    // MARK: - In the process

    /// Reports a number; ends the process if nobody reads it.
    static func report(_ number: Int64) {
        var number = number
        guard write(STDOUT_FILENO, &number, 8) == 8 else { exit(0) }
    }

    /// Waits for ``wake()``.
    static func waitForWake() {
        var byte: UInt8 = 0
        guard read(STDIN_FILENO, &byte, 1) == 1 else { exit(0) }
    }
}
