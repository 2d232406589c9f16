// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleSystem

/// The file of the user from which the address of the page is read again: a journal must not contain its token.
struct AddressFile {
    private let path: String

    // Beside the history, because both belong to the same service. Only one program can serve at a port.
    init(port: UInt16, history: String) { path = "\(history).\(port).address" }

    /// Replaces the address of the last run.
    func write(_ address: String, _ log: ProgramLog) {
        do throws(SystemError) {
            StatePath.createDirectories(of: path)
            // Even if the new address cannot be saved, the last one must not remain.
            unlink(path)
            try PrivateFile.replace(path, with: Array("\(address)\n".utf8))
        } catch {
            log.write(.warning, "the address cannot be saved: \(error)")
        }
    }

    /// Returns the address of the program that serves at the port; `nil` if the program is not this user's.
    func read() throws(SystemError) -> String? {
        try PrivateFile.read(path).map { String(decoding: $0.dropLast(), as: UTF8.self) }
    }
}
