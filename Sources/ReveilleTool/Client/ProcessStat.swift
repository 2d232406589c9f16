// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// The state of a process as one line of numbers: proc_pid_stat(5).
struct ProcessStat {
    /// The position of a field after the name.
    enum Field: Int {
        case parent = 1
        case startTime = 19
    }

    private let fields: [String]

    /// Reads the state of a process; `nil` if it has ended.
    init?(_ pid: Int32) {
        guard case .bytes(let bytes) = FileContents.read("/proc/\(pid)/stat", limit: 1 << 16),
            // The name, in parentheses, may itself contain spaces and parentheses.
            let name = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        fields = bytes[(name + 1)...].split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    }

    func number(_ field: Field) -> Int64? {
        field.rawValue < fields.count ? Int64(fields[field.rawValue]) : nil
    }

    /// The processes above this one, from its parent on.
    static var ancestors: [Int32] {
        var ancestors: [Int32] = []
        var stat = ProcessStat(getpid())
        // A process can end while the list is made, which could repeat a process.
        while let parent = stat?.number(.parent), parent > 0, !ancestors.contains(Int32(parent)) {
            ancestors.append(Int32(parent))
            stat = ProcessStat(Int32(parent))
        }
        return ancestors
    }
}
