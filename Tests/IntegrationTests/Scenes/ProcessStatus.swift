// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import ReveilleTesting

/// What the kernel says about a process.
extension ChildProcess {
    /// Returns a number of the status, of memory in kilobytes; `nil` if there is none.
    func status(_ name: String) -> Int? { Self.number(name, in: "/proc/\(pid)/status") }

    /// How often its threads have waited and gone on.
    func wakeUps() throws -> Int {
        let threads = "/proc/\(pid)/task/"
        return try DirectoryListing.files(in: threads).reduce(0) { count, thread in
            count + (Self.number("voluntary_ctxt_switches", in: threads + thread + "/status") ?? 0)
        }
    }

    private static func number(_ name: String, in path: String) -> Int? {
        let lines = (try? String(contentsOfFile: path))?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix(name + ":") }?.split { " \t".contains($0) }.dropFirst().first.flatMap {
            Int($0)
        }
    }
}
