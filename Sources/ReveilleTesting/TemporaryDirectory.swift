// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A directory below `$TMPDIR` that only its user can access and that is removed with its owner.
package final class TemporaryDirectory {
    /// The absolute path.
    package let path: String

    /// The maximum length of a socket's path in bytes (`sun_path` of unix(7), without its NUL).
    private static let socketPathLimit = 107

    /// Creates an empty directory.
    ///
    /// - Parameter socket: The path, starting with `/`, of a socket to be created in the directory. If `$TMPDIR` is too
    ///   long for the socket's address, the directory is created in `/tmp`.
    /// - Throws: `TestbedError` if the directory cannot be created.
    package init(forSocket socket: String = "") throws(TestbedError) {
        let name = "/reveille-XXXXXX"
        let usual = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let isTooLong = !socket.isEmpty && (usual + name + socket).utf8.count > Self.socketPathLimit
        let parent = isTooLong ? "/tmp" : usual
        var template = Array((parent + name).utf8CString)
        guard mkdtemp(&template) != nil else {
            throw TestbedError("mkdtemp \(parent): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        do throws(TestbedError) {
            try ChildProcess(["rm", "-rf", path], environment: ChildProcess.environment).wait()
        } catch {
            // Leftover files are in a directory that the system cleans up.
        }
    }

    /// Replaces a file atomically, using a temporary file and a rename.
    ///
    /// - Parameters:
    ///   - contents: The text.
    ///   - path: The path below the directory; missing directories are created.
    /// - Throws: `TestbedError` if the file cannot be written.
    package func write(_ contents: String, to path: String) throws(TestbedError) {
        var parent = self.path
        for part in path.split(separator: "/").dropLast() {
            parent += "/" + part
            mkdir(parent, 0o755)
        }
        let file = self.path + "/" + path
        let temporary = file + "~"
        guard let stream = fopen(temporary, "w") else {
            throw TestbedError("open \(temporary): \(String(cString: strerror(errno)))")
        }
        let isWritten = fputs(contents, stream) >= 0
        guard fclose(stream) == 0, isWritten, rename(temporary, file) == 0 else {
            throw TestbedError("write \(file): \(String(cString: strerror(errno)))")
        }
    }

    /// Opens a file for reading and appending, and creates it if it does not exist.
    ///
    /// - Returns: A descriptor, which the caller must close.
    func open(_ name: String) throws(TestbedError) -> Int32 {
        let descriptor = Glibc.open(path + "/" + name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TestbedError("open \(path)/\(name): \(String(cString: strerror(errno)))") }
        return descriptor
    }

    /// Returns the text of a file, or an empty string if it does not exist.
    package func read(_ name: String) -> String {
        guard let stream = fopen(path + "/" + name, "r") else { return "" }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
