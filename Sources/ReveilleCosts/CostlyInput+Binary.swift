// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension CostlyInput {
    /// Shapes that no text has: binary property lists, and what inotify writes.
    static var binary: [CostlyInput] {
        let name = Array("name.json".utf8)
        let event =
            [1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0] + name + Array(repeating: 0, count: 16 - name.count)
        return [
            CostlyInput("events", [], { _ in event }),
            CostlyInput("events without names", [], { _ in Array(event[..<12]) + [0, 0, 0, 0] }),
            CostlyInput("bytes", [], { [UInt8(truncatingIfNeeded: $0)] }),
        ]
    }
}
