// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleSystem

extension FileLock {
    /// How often a lock is tried, and the pause in microseconds: a command that a killed program was about to start shares
    /// its lock until it is executed.
    private static let attempts = (count: 10, pause: UInt32(100_000))

    /// Takes the lock of a path for a program that must be the only one.
    ///
    /// - Throws: `Failure` that says, of the process that has the lock, who it is and what it does.
    package static func alone(_ path: String, _ other: String, _ deed: String) throws(Failure) -> FileLock {
        for _ in 0..<attempts.count {
            do throws(SystemError) {
                return try FileLock(path)
            } catch {
                guard error.code == EWOULDBLOCK else { throw Failure(.output, "\(error)") }
                usleep(attempts.pause)
            }
        }
        let number = holder(of: path).map { " (process \($0))" } ?? ""
        throw Failure(.tryAgain, "\(other)\(number) \(deed)")
    }
}
