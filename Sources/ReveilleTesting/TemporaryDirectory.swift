// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// A directory below `$TMPDIR` that only its user can access and that is removed with its owner.
package final class TemporaryDirectory {
    package let path: String

    /// The maximum length of a socket's path in bytes (`sun_path` of unix(7), without its NUL).
    private static let socketPathLimit = 107

    /// Creates an empty directory for a socket at a path that starts with `/`.
    ///
    /// If `$TMPDIR` is too long for the address of the socket, the directory is created in `/tmp`.
    package init(forSocket socket: String = "") throws(TestbedError) {
        let name = "/reveille-XXXXXX"
        let usual = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let isTooLong = !socket.isEmpty && (usual + name + socket).utf8.count > Self.socketPathLimit
        path = try Self.make(isTooLong ? "/tmp" + name : usual + name)
    }

    /// Creates an empty directory in memory, which needs no disk; without `/dev/shm`, in `/tmp`.
    package init(inMemory name: String) throws(TestbedError) {
        path = try Self.make((access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : "/tmp/") + name + "-XXXXXX")
    }

    deinit {
        // Leftover files are in a directory that the system cleans up.
        _ = try? ChildProcess(["rm", "-rf", path]).wait()
    }

    /// Creates an empty directory with a unique name in place of the `XXXXXX` at the end of a path.
    static func make(_ path: String) throws(TestbedError) -> String {
        var template = Array(path.utf8CString)
        guard mkdtemp(&template) != nil else { throw TestbedError("mkdtemp", on: path) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Replaces a file atomically, using a temporary file and a rename; missing directories are created.
    package func write(_ contents: String, to path: String) throws(TestbedError) {
        try write(bytes: Array(contents.utf8), to: path)
    }

    /// Replaces a file atomically by bytes, as ``write(_:to:)`` does.
    package func write(bytes: [UInt8], to path: String) throws(TestbedError) {
        var parent = self.path
        for part in path.split(separator: "/").dropLast() {
            parent += "/" + part
            mkdir(parent, 0o755)
        }
        let file = self.path + "/" + path
        let temporary = file + "~"
        try Self.fill(temporary, with: bytes)
        guard rename(temporary, file) == 0 else { throw TestbedError("rename", on: file) }
    }

    static func fill(_ file: String, with bytes: [UInt8]) throws(TestbedError) {
        guard let stream = fopen(file, "w") else { throw TestbedError("open", on: file) }
        let isWritten = fwrite(bytes, 1, bytes.count, stream) == bytes.count
        guard fclose(stream) == 0, isWritten else { throw TestbedError("write", on: file) }
    }

    /// Opens a file for reading and appending, and creates it if it does not exist; the caller must close it.
    package func open(_ name: String) throws(TestbedError) -> Int32 {
        let descriptor = Glibc.open(path + "/" + name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TestbedError("open", on: path + "/" + name) }
        return descriptor
    }

    /// Returns the text of a file, or an empty string if it does not exist.
    package func read(_ name: String) -> String {
        guard case .bytes(let bytes) = FileContents.read(path + "/" + name, limit: .max) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
