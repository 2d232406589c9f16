// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleViewCore

/// The file from which the user of a service reads the token, which is not in the journal.
enum TokenFile {
    /// Creates a token, and saves it in a file.
    ///
    /// The token is valid until the program ends. While the program does not run, another account can listen on its
    /// port, and browsers send their cookies to that account.
    static func create(at path: String, _ log: ProgramLog) -> AccessToken {
        // The generator of the system is one for secrets.
        let token = AccessToken(random: (0..<AccessToken.length).map { _ in UInt8.random(in: .min ... .max) })
        do throws(SystemError) {
            PrivateDirectory.create(parentOf: path)
            try write(token, to: path)
        } catch {
            log.write(.warning, "the token cannot be saved: \(error)")
        }
        return token
    }

    private static func write(_ token: AccessToken, to path: String) throws(SystemError) {
        let new = path + ".new"
        unlink(new)
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError("open", on: new) }
        let line = Array("\(token)\n".utf8)
        let count = Glibc.write(file, line, line.count)
        let error = SystemError("write", on: new)
        close(file)
        guard count == line.count else { throw error }
        guard rename(new, path) == 0 else { throw SystemError("rename", on: path) }
    }
}
