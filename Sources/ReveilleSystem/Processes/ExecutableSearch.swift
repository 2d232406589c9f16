// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The search for a program, as execvp(3) does it.
package enum ExecutableSearch {
    /// The directories to search without `PATH`, as in confstr(3) and execvp(3).
    private static let defaultDirectories = "/bin:/usr/bin"

    /// Checks that a program can be executed, without executing it.
    ///
    /// - Parameter name: The program's path if it contains a slash, otherwise its name in a directory of `PATH`.
    /// - Throws: `SystemError` with the name; `EACCES` if the only files of the name are not executable.
    package static func check(_ name: String) throws(SystemError) {
        _ = try find(name)
    }

    /// Returns the absolute path of a program that can be executed; see ``check(_:)``.
    package static func find(_ name: String) throws(SystemError) -> String {
        var code = ENOENT
        for path in candidates(for: name) {
            var status = stat()
            guard stat(path, &status) == 0 else {
                if errno == EACCES { code = EACCES }
                continue
            }
            if status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 {
                return absolute(path)
            }
            code = EACCES
        }
        throw SystemError("exec", on: name, code: code)
    }

    private static func absolute(_ path: String) -> String {
        guard path.utf8.first != UInt8(ascii: "/"), let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        return String(cString: directory) + "/" + path
    }

    private static func candidates(for name: String) -> [String] {
        // By bytes: a slash or colon may form a character with the bytes after it.
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else { return [name] }
        let directories = Environment["PATH"] ?? defaultDirectories
        // An empty entry is the working directory.
        return directories.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { directory in
            directory.isEmpty ? name : Substring(directory) + "/" + name
        }
    }
}
