// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A directory below `$TMPDIR` that is its user's alone, gone with its owner.
package final class TemporaryDirectory {
    /// Its absolute path.
    package let path: String

    /// The bytes of the longest path of a socket (`sun_path` of unix(7), with its end).
    private static let socketPathLimit = 107

    /// Makes a directory that is empty.
    ///
    /// - Parameter socket: A socket that is to lie in it, from `/`: where `$TMPDIR` is too long for its path, the
    ///   directory is in `/tmp`.
    /// - Throws: `TestbedError` when it cannot be made.
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
            // What is left over lies where temporary files are cleaned up anyway.
        }
    }

    /// Writes a file whole, as a careful program does: a temporary file and a rename.
    ///
    /// - Parameters:
    ///   - contents: The text.
    ///   - path: Below the directory; directories that are missing are made.
    /// - Throws: `TestbedError` when it cannot be written.
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

    /// Opens a file of the directory to read it and to append to it; it is made where there is none.
    ///
    /// - Returns: A descriptor, to be closed by the caller.
    func open(_ name: String) throws(TestbedError) -> Int32 {
        let descriptor = Glibc.open(path + "/" + name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TestbedError("open \(path)/\(name): \(String(cString: strerror(errno)))") }
        return descriptor
    }

    /// The text of a file below it; empty where there is none.
    package func read(_ name: String) -> String {
        guard let stream = fopen(path + "/" + name, "r") else { return "" }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
