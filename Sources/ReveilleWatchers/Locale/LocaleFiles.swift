// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore

/// What the files of a locale put in force together.
package struct LocaleFiles {
    /// How a file sets variables, by its name.
    private enum Kind {
        /// One of several of which the first that exists counts.
        case environment
        /// Laid over those.
        case pamEnvironment
        /// Laid over all others.
        case plasma

        init(_ path: String) {
            self =
                switch ConfiguredPath.name(of: path) {
                case ".pam_environment": .pamEnvironment
                case "plasma-localerc": .plasma
                default: .environment
                }
        }
    }

    /// The files that set something, in the order in which they were laid over each other.
    private(set) var paths: [String] = []
    private var environment: [String: String] = [:]

    /// Lays files over each other.
    ///
    /// - Parameter files: Paths in order, with the variables that each sets; `nil` for one that does not exist.
    init(_ files: [(path: String, variables: [String: String]?)]) {
        let existing = files.compactMap { file in
            file.variables.map { (kind: Kind(file.path), path: file.path, variables: $0) }
        }
        if let first = existing.first(where: { $0.kind == .environment }) { lay(first.path, first.variables) }
        for kind in [Kind.pamEnvironment, .plasma] {
            for file in existing where file.kind == kind && !file.variables.isEmpty { lay(file.path, file.variables) }
        }
    }

    private mutating func lay(_ path: String, _ variables: [String: String]) {
        paths.append(path)
        environment.merge(variables) { $1 }
    }

    /// What is in force.
    var reading: LocaleSettings {
        LocaleRule.reading(of: environment)
    }

    /// Reads the variables that a file sets, those of a locale alone.
    ///
    /// - Throws: `FormatError` if the file is not UTF-8, or not valid.
    package static func variables(of path: String, _ bytes: [UInt8]) throws(FormatError) -> [String: String] {
        guard bytes.isUTF8 else { throw FormatError("not UTF-8") }
        var variables: [String: String]
        switch Kind(path) {
        case .environment: variables = EnvironmentFile.variables(in: bytes)
        case .pamEnvironment: variables = PamEnvironment.variables(in: bytes)
        case .plasma: variables = PlasmaLocale.variables(in: try Keyfile(bytes))
        }
        // systemd does not take it from there (locale.conf(5)): it would outlaw every other setting.
        if ConfiguredPath.name(of: path) == "locale.conf" { variables["LC_ALL"] = nil }
        return variables.filter { LocaleRule.variables.contains($0.key) }
    }
}
