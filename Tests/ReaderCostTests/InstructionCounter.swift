// SPDX-License-Identifier: Apache-2.0

import CInstructionCounter
import Glibc

/// Counts the instructions of a closure, which hardly depend on the load of the machine.
struct InstructionCounter: ~Copyable {
    /// The reason why nothing can be counted.
    struct Unavailable: Error {
        let code: Int32
    }

    private let descriptor: Int32

    init() throws(Unavailable) {
        descriptor = c_instruction_counter_open()
        guard descriptor >= 0 else { throw Unavailable(code: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Returns the instructions that a closure takes; `nil` if the counter was assigned to another process meanwhile.
    func count(_ work: () -> Void) -> Int? {
        c_instruction_counter_start(descriptor)
        work()
        let count = c_instruction_counter_stop(descriptor)
        return count >= 0 ? Int(count) : nil
    }

    /// Whether the machine has a counter; many virtual machines do not.
    static var isThere: Bool {
        do throws(Unavailable) {
            _ = try InstructionCounter()
            return true
        } catch {
            return false
        }
    }
}
