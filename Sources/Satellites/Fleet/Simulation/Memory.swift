// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// The memory of processes, as the kernel reports it.
enum Memory {
    private static let page = 4_096

    /// The resident memory of a process in bytes, by default this one; 0 if it has ended.
    static func resident(of process: String = "self") -> Int {
        guard case .bytes(let text) = FileContents.read("/proc/\(process)/statm", limit: page) else { return 0 }
        let pages = String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst().first
        return (pages.flatMap { Int($0) } ?? 0) * page
    }
}
