// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleSystem

extension FileLock {
    /// Takes the lock of a path for a program that must be the only one.
    ///
    /// - Throws: `Failure` with the process that has the lock, and what that process does.
    package static func alone(_ path: String, _ other: String, _ deed: String) throws(Failure) -> FileLock {
        do throws(SystemError) {
            return try patiently(path)
        } catch {
            guard error.code == EWOULDBLOCK else { throw Failure(storing: error) }
            let number = holder(of: path).map { " (process \($0))" } ?? ""
            throw Failure(.tryAgain, "\(other)\(number) \(deed)")
        }
    }
}
