// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// The memory of processes.
enum Memory {
    /// The resident memory of this process in bytes, without what is free and code that is not running.
    static var inUse: Int {
        StartupMemory.release()
        return resident(of: "self")
    }

    private static let page = 4_096

    /// The resident memory of a process in bytes, as the kernel reports it; 0 if it has ended.
    static func resident(of process: String) -> Int {
        guard case .bytes(let text) = FileContents.read("/proc/\(process)/statm", limit: page) else { return 0 }
        let pages = String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst().first
        return (pages.flatMap { Int($0) } ?? 0) * page
    }
}
