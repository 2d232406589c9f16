// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Glibc
import ReveilleService
import ReveilleSystem

/// Which configuration counts, and where the user's files are.
struct FileOptions: ParsableArguments {
    @Option(help: "A configuration file; without one, the defaults count.")
    var config: String?

    @Option(help: "A directory that every file of locale and settings is taken below.")
    var root: String?

    /// The configuration, checked.
    func configuration() throws(Failure) -> Configuration {
        guard let config else { return Configuration() }
        let text = try Self.read(config)
        do throws(ConfigurationError) {
            return try Configuration(parsing: text)
        } catch {
            var error = error
            error.file = config
            throw Failure(.configuration, "\(error)")
        }
    }

    /// The largest configuration that is read: far more than anybody writes by hand.
    private static let limit = 1 << 20

    private static func read(_ path: String) throws(Failure) -> [UInt8] {
        switch FileContents.read(path, limit: limit) {
        case .bytes(let bytes): return bytes
        case .missing: throw Failure(.configuration, "open \(path): No such file or directory (ENOENT)")
        case .notAFile: throw Failure(.configuration, "\(path): not a file")
        case .tooLarge(let limit): throw Failure(.configuration, "\(path): longer than \(limit) bytes")
        case .unreadable(let error): throw Failure(.configuration, "\(error)")
        }
    }

    /// Where the files of locale and settings are.
    var locations: FileLocations {
        let home = Environment["HOME"] ?? getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/"
        return FileLocations(root: root ?? "", home: home, configHome: Environment["XDG_CONFIG_HOME"])
    }
}
