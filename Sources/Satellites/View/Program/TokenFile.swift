// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleSystem
import ReveilleViewCore

/// The file from which the user of a service reads the token: the journal must not contain it.
enum TokenFile {
    /// Creates a token, and replaces the last run's token in the file.
    ///
    /// The token is valid until the program ends. While the program does not run, another account can listen on its
    /// port, and browsers send their cookies to that account.
    static func create(at path: String, _ log: ProgramLog) -> AccessToken {
        // The system's generator is fit for secrets.
        let token = AccessToken(random: (0..<AccessToken.length).map { _ in UInt8.random(in: .min ... .max) })
        do throws(SystemError) {
            StatePath.createDirectories(of: path)
            try write(token, to: path)
        } catch {
            log.write(.warning, "the token cannot be saved: \(error)")
        }
        return token
    }

    private static func write(_ token: AccessToken, to path: String) throws(SystemError) {
        unlink(path)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError("open", on: path) }
        defer { close(file) }
        let line = Array("\(token)\n".utf8)
        guard Glibc.write(file, line, line.count) == line.count else {
            let error = SystemError("write", on: path)
            unlink(path)
            throw error
        }
    }
}
