// SPDX-License-Identifier: Apache-2.0

import CInstructionCounter
import Glibc
import ReveilleSystem

extension CostlyReader {
    /// The length of the shortest of three inputs: long enough for quadratic work to exceed the cost of each byte.
    private static let shortest = 8_192
    /// Instructions that are not counted: the cost of a run for any input.
    private static let slack = 200_000
    /// The number of counts before a result is a failure.
    private static let attempts = 5

    /// Whether the processor's counters can be read; many virtual machines have none.
    package static var isCounted: Bool { instructions {} != nil }

    /// Returns a complaint if twice the input takes much more than twice the work: in instructions, which hardly depend on
    /// the load of the machine.
    package func complaint(about input: CostlyInput) -> String? {
        let length = min(Self.shortest, limit / 4)
        let inputs = [length, 2 * length, 4 * length].map(input.bytes(upTo:))
        // The first run initializes objects that are created once.
        read(inputs[0])
        var least = [Int](repeating: .max, count: inputs.count)
        // The allocator takes more instructions if other threads have fragmented its memory, but never fewer.
        for _ in 0..<Self.attempts {
            let counts = inputs.compactMap { bytes in Self.instructions { read(bytes) } }
            guard counts.count == inputs.count else { return "\(self), \(input): not counted" }
            least = zip(least, counts).map(min)
            // Four times is a square, and the place at which a shape is cut makes some difference.
            if least[2] - least[1] <= 3 * (least[1] - least[0]) + Self.slack { return nil }
        }
        return "\(self), \(input): \(least) instructions for \(inputs.map(\.count)) bytes"
    }

    /// Returns the milliseconds that the most expensive input of the greatest length takes, and its shape.
    func slowest() -> (milliseconds: Int64, input: CostlyInput?) {
        var slowest: (time: Int64, input: CostlyInput?) = (0, nil)
        for input in CostlyInput.all {
            let bytes = input.bytes(upTo: limit)
            // The processor time excludes other programs.
            let start = Clocks.thread()
            read(bytes)
            let time = Clocks.thread() - start
            if time > slowest.time { slowest = (time, input) }
        }
        return (slowest.time / 1_000, slowest.input)
    }

    /// Returns the instructions that a closure takes; `nil` if they cannot be counted.
    private static func instructions(_ work: () -> Void) -> Int? {
        let counter = c_instruction_counter_open()
        guard counter >= 0 else { return nil }
        defer { close(counter) }
        c_instruction_counter_start(counter)
        work()
        let count = c_instruction_counter_stop(counter)
        return count >= 0 ? Int(count) : nil
    }
}
