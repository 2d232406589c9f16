// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import ReveilleSystem

/// Watches the files that set language and formats.
///
/// Loop thread only.
package final class LocaleWatcher: Watcher {
    /// What to watch, and how patiently.
    package struct Settings: Sendable, Hashable {
        /// Files in place of the usual ones; absolute, or below home as `~/…`.
        ///
        /// Of those whose names say nothing else, the first that exists counts; a `.pam_environment` is
        /// laid over it, a `plasma-localerc` over that. Only this list can name a `.pam_environment`.
        package var paths: [String]?
        /// The directory that all paths are below, itself no part of any; empty for the root directory.
        package var root: String
        /// The user's home directory, absolute, without the root.
        package var home: String
        /// The value of XDG_CONFIG_HOME; `nil` for `~/.config`.
        package var configHome: String?
        /// From the end of a write to the read.
        package var settle: Duration
        /// For how long a missing or empty file keeps its values.
        package var deletionGrace: Duration

        /// Makes settings of their parts.
        package init(
            paths: [String]? = nil, root: String = "", home: String, configHome: String? = nil,
            settle: Duration = .milliseconds(50), deletionGrace: Duration = .milliseconds(250)
        ) {
            self.paths = paths
            self.root = root
            self.home = home
            self.configHome = configHome
            self.settle = settle
            self.deletionGrace = deletionGrace
        }

        /// The files that are read, in order, without the root.
        var files: [String] {
            let configHome = configHome.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
            let usual = [
                configHome + "/locale.conf", "/etc/locale.conf", "/etc/default/locale",
                configHome + "/plasma-localerc",
            ]
            return (paths ?? usual).map { ConfiguredPath.expanded($0, home: home) }
        }
    }

    /// The most that is read of a file: 64 KiB, for some fifteen short lines.
    package static let sizeLimit = 64 << 10

    package let aspect = Aspect.locale
    private let settings: Settings
    private let report: (Reading) -> Void
    private let files: WatchedFiles<[String: String]>

    /// Makes a watcher that is off.
    ///
    /// - Throws: `SystemError` when the loop refuses a timer.
    package init(loop: EventLoop, settings: Settings, context: WatcherContext) throws(SystemError) {
        self.settings = settings
        report = context.report
        files = try WatchedFiles(
            loop: loop, root: settings.root, table: Self.table(settings), context: context)
        files.read = { [weak self] in self?.tell() }
    }

    package var pace: Pace {
        get { files.pace }
        set { files.pace = newValue }
    }

    /// Reads every file now; calls back before it returns.
    package func refresh(then completion: @escaping () -> Void) {
        files.refresh(then: completion)
    }

    private func tell() {
        report(.locale(merged(files.table).reading))
    }

    package var source: SourceDescription {
        let table = pace == .off ? fresh() : files.table
        let used = merged(table).paths
        if !used.isEmpty { return .available(used.joined(separator: ", ")) }
        return .unavailable("none of " + table.paths.map(table.real).joined(separator: ", ") + " exists")
    }

    package func examine() -> Examination {
        let table = fresh()
        let merged = merged(table)
        var examination = table.examination { variables in
            let list = variables.filter { LocaleRule.variables.contains($0.key) }.sorted { $0.key < $1.key }
            return list.isEmpty ? "sets nothing" : list.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        }
        let inForce = merged.paths.isEmpty ? "none, so the C locale" : merged.paths.joined(separator: ", then ")
        examination.findings.append(Examination.Finding("in force", inForce))
        examination.findings.append(Examination.Finding("identifier", merged.reading.identifier))
        if merged.paths.isEmpty {
            examination.advice.append("set a language: localectl set-locale LANG=…, or LANG= in /etc/locale.conf")
        }
        return examination
    }

    private func merged(_ table: FileTable<[String: String]>) -> LocaleFiles {
        LocaleFiles(table.paths.map { (table.real($0), table.entries[$0]?.value) })
    }

    private func fresh() -> FileTable<[String: String]> {
        var table = Self.table(settings)
        _ = table.readAll(at: Instant(microseconds: Clocks.boot()))
        return table
    }

    private static func table(_ settings: Settings) -> FileTable<[String: String]> {
        FileTable(
            paths: settings.files, root: settings.root,
            timing: FileSettling.Timing(readDelay: settings.settle, deletionGrace: settings.deletionGrace),
            format: FileFormat(sizeLimit: sizeLimit, membership: nil) { path, _, bytes throws(FormatError) in
                try LocaleFiles.variables(of: path, bytes)
            })
    }
}
