// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCosts
import Testing

/// Twice the input takes twice the work, whatever it is: instructions are counted, not seconds.
@Suite(
    .enabled(
        if: InstructionCounter.isThere || getenv("CI") != nil && access("/sys/bus/event_source/devices/cpu", F_OK) == 0,
        "the processor's counters cannot be read here"))
struct ReaderCostTests {
    /// The shortest of three inputs: long enough that a square shows beside what each byte costs.
    private static let shortest = 8_192
    /// Instructions that do not count: what a run costs whatever it reads.
    private static let slack = 200_000

    @Test("no reader takes more than twice the work for twice the input", arguments: CostlyReader.all.indices)
    func workGrowsWithTheInput(index: Int) throws {
        let reader = CostlyReader.all[index]
        let counter = try InstructionCounter()
        let length = min(Self.shortest, reader.limit / 4)
        for input in CostlyInput.all {
            let inputs = [length, 2 * length, 4 * length].map(input.bytes(upTo:))
            // What is made once, the first time, is not counted.
            reader.read(inputs[0])
            let counts = try inputs.map { bytes in try #require(counter.count { reader.read(bytes) }) }
            let (first, second) = (counts[1] - counts[0], counts[2] - counts[1])
            // Twice is what is right, four times is a square; how a shape happens to be cut makes some difference.
            #expect(second <= 3 * first + Self.slack, "\(reader), \(input): \(counts)")
        }
    }
}
