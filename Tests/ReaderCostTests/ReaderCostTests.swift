// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCosts
import Testing

/// Twice the input takes at most about twice the work, measured in instructions, not in time.
@Suite(
    .enabled(
        if: InstructionCounter.isThere || getenv("CI") != nil && access("/sys/bus/event_source/devices/cpu", F_OK) == 0,
        "the processor's counters cannot be read here"))
struct ReaderCostTests {
    /// The length of the shortest of three inputs: long enough for quadratic work to exceed the cost of each byte.
    private static let shortest = 8_192
    /// Instructions that are not counted: the cost of a run for any input.
    private static let slack = 200_000
    /// The number of counts before a result is a failure.
    private static let attempts = 5

    @Test("no reader takes more than twice the work for twice the input", arguments: CostlyReader.all.indices)
    func workGrowsWithTheInput(index: Int) throws {
        let reader = CostlyReader.all[index]
        let counter = try InstructionCounter()
        let length = min(Self.shortest, reader.limit / 4)
        for input in CostlyInput.all {
            let inputs = [length, 2 * length, 4 * length].map(input.bytes(upTo:))
            // The first run initializes what is created once.
            reader.read(inputs[0])
            var counts = try inputs.map { try Self.count(reader, $0, with: counter) }
            // The allocator takes more instructions if other threads have fragmented its memory, but never fewer.
            for _ in 1..<Self.attempts where Self.isTooMuch(counts) {
                counts = try zip(counts, inputs).map { min($0, try Self.count(reader, $1, with: counter)) }
            }
            #expect(!Self.isTooMuch(counts), "\(reader), \(input): \(counts)")
        }
    }

    private static func count(
        _ reader: CostlyReader, _ bytes: [UInt8], with counter: borrowing InstructionCounter
    ) throws -> Int {
        let count = counter.count { reader.read(bytes) }
        return try #require(count)
    }

    /// Whether the work grows faster than the input: twice is right, four times is a square, and the place at which a
    /// shape is cut makes some difference.
    private static func isTooMuch(_ counts: [Int]) -> Bool {
        counts[2] - counts[1] > 3 * (counts[1] - counts[0]) + slack
    }
}
