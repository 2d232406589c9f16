// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem

/// Watches the files that configure language and formats.
///
/// The first existing file counts. A `.pam_environment` overrides its values, the region in GNOME's settings overrides
/// the formats of both, and a `plasma-localerc` overrides all.
/// Loop thread only.
package final class LocaleWatcher: Watcher {
    /// The largest file that is read, except a database: 64 KiB, for some fifteen short lines.
    package static let sizeLimit = 64 << 10

    package let aspect = BuiltInAspect.locale
    private let files: WatchedFiles<[String: String]>

    package init(loop: EventLoop, settings: FileSettings, context: WatcherContext) throws(SystemError) {
        let format = FileFormat(
            sizeLimit: { LocaleFiles.isDatabase($0) ? DefaultsWatcher.sizeLimit : Self.sizeLimit }, membership: nil,
            parse: { path, _, bytes, _ throws(FormatError) in try LocaleFiles.variables(of: path, bytes) })
        files = try WatchedFiles(loop: loop, settings: settings, format: format, context: context) {
            context.report(.locale(LocaleFiles(in: $0).reading))
        }
    }

    /// Returns the default paths; only an absolute `configHome` (XDG_CONFIG_HOME) replaces `~/.config`.
    package static func usualPaths(home: String, configHome: String?) -> [String] {
        let configHome = configHome.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
        return [
            configHome + "/locale.conf", "/etc/locale.conf", "/etc/default/locale", configHome + "/dconf/user",
            configHome + "/plasma-localerc",
        ]
    }

    package var pace: Pace {
        get { files.pace }
        set { files.pace = newValue }
    }

    package func refresh(then completion: @escaping () -> Void) {
        files.refresh(then: completion)
    }

    package var source: SourceDescription {
        let table = files.current
        let used = LocaleFiles(in: table).paths
        if !used.isEmpty { return .available(used.joined(separator: ", ")) }
        return .unavailable("none of " + table.paths.map(table.real).joined(separator: ", ") + " sets a locale")
    }

    package func examine() -> Examination {
        let table = files.readSeparately()
        let merged = LocaleFiles(in: table)
        var examination = table.examination { variables in
            let list = variables.sorted { $0.key < $1.key }
            return list.isEmpty ? "sets nothing" : list.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        }
        let inForce = merged.paths.isEmpty ? "none, therefore the C locale" : merged.paths.joined(separator: ", then ")
        examination.add("in force", inForce)
        examination.add("identifier", merged.reading.identifier)
        if merged.paths.isEmpty {
            examination.advice.append("set a language: localectl set-locale LANG=…, or LANG= in /etc/locale.conf")
        }
        return examination
    }
}

/// The variables that result from all locale files together.
package struct LocaleFiles {
    /// The precedence of a file, by its name.
    private enum Kind {
        /// The first existing file of this kind counts.
        case environment
        /// Overrides environment files.
        case pamEnvironment
        /// A database of dconf; overrides both.
        case gnome
        /// Overrides all others.
        case plasma

        init(_ path: String) {
            self =
                switch (SettingsName(path).kind, ConfiguredPath.name(of: path)) {
                case (.dconf, _): .gnome
                case (_, ".pam_environment"): .pamEnvironment
                case (_, "plasma-localerc"): .plasma
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
        for kind in [Kind.pamEnvironment, .gnome, .plasma] {
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

    static func isDatabase(_ path: String) -> Bool { Kind(path) == .gnome }

    /// Returns the locale variables that a file sets, or throws if it is text but not UTF-8, or not valid.
    package static func variables(of path: String, _ bytes: [UInt8]) throws(FormatError) -> [String: String] {
        guard isDatabase(path) || bytes.isUTF8 else { throw FormatError("not UTF-8") }
        var variables: [String: String]
        switch Kind(path) {
        case .environment: variables = EnvironmentFile.variables(in: bytes)
        case .pamEnvironment: variables = PamEnvironment.variables(in: bytes)
        case .gnome: variables = try GnomeLocale.variables(in: DconfDatabase(bytes))
        case .plasma: variables = PlasmaLocale.variables(in: try Keyfile(bytes))
        }
        // systemd ignores it in this file (locale.conf(5)), where it would override every other variable.
        if ConfiguredPath.name(of: path) == "locale.conf" { variables["LC_ALL"] = nil }
        return variables.filter { LocaleRule.variables.contains($0.key) }
    }
}
