// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// The execution of a program in place of the current one.
package enum Execution {
    /// Replaces the program of this process by the command in its last arguments; returns only by throwing.
    ///
    /// A change to `nil` removes a variable from the environment.
    package static func replaceProcess(
        byLast count: Int, changing changes: [String: String?]
    ) throws(SystemError) -> Never {
        let name = ProcessArguments.all.suffix(count).first ?? ""
        let path = try ExecutableSearch.find(name)
        for (variable, value) in changes {
            if let value { setenv(variable, value, 1) } else { unsetenv(variable) }
        }
        // These are the original bytes, which may not be UTF-8.
        if let arguments = ProcessArguments.vector { execv(path, arguments + (ProcessArguments.count - count)) }
        throw SystemError("exec", on: name)
    }
}

/// The search for a program, as execvp(3) does it.
package enum ExecutableSearch {
    /// The directories to search without `PATH`, as in confstr(3) and execvp(3).
    private static let defaultDirectories = "/bin:/usr/bin"

    /// Returns the absolute path of a program that can be executed, by its path or its name in a directory of `PATH`.
    ///
    /// - Throws: `SystemError` with the name; `EACCES` if the only files of the name are not executable.
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

/// The arguments that this process was started with.
///
/// `CommandLine` searches `/proc/self/maps` for them, and has none where that cannot be read. These are the arguments
/// that the dynamic loader passes to `main`.
package enum ProcessArguments {
    /// The name of the program and its arguments; bytes that are not UTF-8 are replaced.
    package static var all: [String] {
        (0..<count).map { vector?[$0].map { String(cString: $0) } ?? "" }
    }

    /// The number of ``all``.
    static var count: Int { Int(c_reveille_argument_count()) }

    /// The bytes of ``all`` as they were given, followed by `nil`.
    static var vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? { c_reveille_arguments() }
}
