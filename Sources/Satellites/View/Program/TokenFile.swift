// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleViewCore

/// The file that keeps the token, so that pages that are open continue after a restart.
enum TokenFile {
    /// Returns the token in a file; a new one if there is none.
    ///
    /// A file that other users may have read or written is not used. A token that cannot be saved is valid until the
    /// program ends.
    static func token(at path: String, _ log: ProgramLog) throws(SystemError) -> AccessToken {
        if let token = try read(path, log) { return token }
        // The generator of the system is one for secrets.
        let token = AccessToken(random: (0..<AccessToken.length).map { _ in UInt8.random(in: .min ... .max) })
        do throws(SystemError) {
            PrivateDirectory.create(parentOf: path)
            try write(token, to: path)
        } catch {
            log.write(.warning, "the token cannot be saved, so the address changes with the next start: \(error)")
        }
        return token
    }

    private static func read(_ path: String, _ log: ProgramLog) throws(SystemError) -> AccessToken? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw SystemError("fstat", on: path) }
        guard status.st_mode == S_IFREG | 0o600, status.st_uid == geteuid() else {
            log.write(.warning, "\(path) is not a private file of this user; a new token replaces it")
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: 2 * AccessToken.length + 1)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count == bytes.count, bytes.removeLast() == UInt8(ascii: "\n"),
            let token = AccessToken(String(decoding: bytes, as: UTF8.self))
        else {
            log.write(.warning, "\(path) does not contain a token; a new one replaces it")
            return nil
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
