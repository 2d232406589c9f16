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
            // Even if the new token cannot be saved, the last one must not remain.
            unlink(path)
            try PrivateFile.replace(path, with: Array("\(token)\n".utf8))
        } catch {
            log.write(.warning, "the token cannot be saved: \(error)")
        }
        return token
    }
}
