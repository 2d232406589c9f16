// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleSystem

/// The variables that result from all locale files together.
package struct LocaleFiles {
    /// The precedence of a file, by its name.
    private enum Kind {
        /// The first existing file of this kind counts.
        case environment
        /// Overrides environment files.
        case pamEnvironment
        /// Overrides all others.
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

    /// The files that set variables, in ascending precedence.
    private(set) var paths: [String] = []
    private var environment: [String: String] = [:]

    init(in table: FileTable<[String: String]>) {
        let existing = table.paths.compactMap { path in
            table.entries[ExactText(path)]?.value.map { (kind: Kind(path), path: table.real(path), variables: $0) }
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

    var reading: LocaleSettings {
        LocaleRule.reading(of: environment)
    }

    /// Returns the locale variables that a file sets, or throws if it is not UTF-8, or not valid.
    package static func variables(of path: String, _ bytes: [UInt8]) throws(FormatError) -> [String: String] {
        guard bytes.isUTF8 else { throw FormatError("not UTF-8") }
        var variables: [String: String]
        switch Kind(path) {
        case .environment: variables = EnvironmentFile.variables(in: bytes)
        case .pamEnvironment: variables = PamEnvironment.variables(in: bytes)
        case .plasma: variables = PlasmaLocale.variables(in: try Keyfile(bytes))
        }
        // systemd ignores it in this file (locale.conf(5)), where it would override every other variable.
        if ConfiguredPath.name(of: path) == "locale.conf" { variables["LC_ALL"] = nil }
        return variables.filter { LocaleRule.variables.contains($0.key) }
    }
}
