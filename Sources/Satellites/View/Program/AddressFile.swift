// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleSystem

/// The file of the user from which the address of the page is read again: a journal must not contain its token.
///
/// The program that serves the page holds a lock: another program may serve the port after its end.
struct AddressFile {
    private let path: String

    // Beside the history, because both belong to the same service.
    init(port: UInt16, history: String) { path = "\(history).\(port).address" }

    /// Replaces the address of the last run; returns the lock, to be held while the address is served.
    func write(_ address: String, _ log: ProgramLog) -> FileLock? {
        do throws(SystemError) {
            // Even if the new address cannot be saved, the last one must not remain.
            unlink(path)
            let lock = try FileLock.patiently(path)
            try PrivateFile.replace(path, with: Array("\(address)\n".utf8))
            return lock
        } catch {
            log.write(.warning, "the address cannot be saved: \(error)")
            return nil
        }
    }

    /// Returns the address of the program that serves at the port; `nil` if the program is not this user's.
    func read() throws(SystemError) -> String? {
        do throws(SystemError) {
            _ = try FileLock(path)
            return nil
        } catch {
            guard error.code == EWOULDBLOCK else { return nil }
        }
        return try PrivateFile.read(path).map { String(decoding: $0.dropLast(), as: UTF8.self) }
    }
}
