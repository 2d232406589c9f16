// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import ReveilleSystem

/// Watches the files that configure language and formats.
///
/// Loop thread only.
package final class LocaleWatcher: Watcher {
    /// The files to watch, and the delays.
    package struct Settings: Sendable, Hashable {
        /// The files that replace the default ones; absolute, or below home as `~/…`.
        ///
        /// The first existing file counts. A `.pam_environment` overrides its values, and a `plasma-localerc` overrides
        /// both. Only this list can name a `.pam_environment`.
        package var paths: [String]?
        /// The directory that all paths are relative to; empty for the root directory.
        package var root: String
        /// The user's home directory, absolute, without the root.
        package var home: String
        /// The value of XDG_CONFIG_HOME; `nil` for `~/.config`.
        package var configHome: String?
        /// The time from the end of a write to the read.
        package var settle: Duration
        /// How long a missing or empty file keeps its values.
        package var deletionGrace: Duration

        /// Creates settings.
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

        /// The paths of the files, in order, without the root.
        var files: [String] {
            let configHome = configHome.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
            let usual = [
                configHome + "/locale.conf", "/etc/locale.conf", "/etc/default/locale",
                configHome + "/plasma-localerc",
            ]
            return (paths ?? usual).map { ConfiguredPath.expanded($0, home: home) }
        }
    }

    /// The largest file that is read: 64 KiB, for some fifteen short lines.
    package static let sizeLimit = 64 << 10

    package let aspect = Aspect.locale
    private let report: (Reading) -> Void
    private let files: WatchedFiles<[String: String]>

    /// Creates a watcher that is off.
    ///
    /// - Throws: `SystemError` when the loop refuses a timer.
    package init(loop: EventLoop, settings: Settings, context: WatcherContext) throws(SystemError) {
        report = context.report
        files = try WatchedFiles(
            loop: loop, root: settings.root, table: Self.table(settings), context: context)
        files.read = { [weak self] in self?.reportReading() }
    }

    package var pace: Pace {
        get { files.pace }
        set { files.pace = newValue }
    }

    /// Reads every file now; calls back before it returns.
    package func refresh(then completion: @escaping () -> Void) {
        files.refresh(then: completion)
    }

    private func reportReading() {
        report(.locale(merged(files.table).reading))
    }

    package var source: SourceDescription {
        let table = files.current
        let used = merged(table).paths
        if !used.isEmpty { return .available(used.joined(separator: ", ")) }
        return .unavailable("none of " + table.paths.map(table.real).joined(separator: ", ") + " exists")
    }

    package func examine() -> Examination {
        let table = files.readSeparately()
        let merged = merged(table)
        var examination = table.examination { variables in
            let list = variables.filter { LocaleRule.variables.contains($0.key) }.sorted { $0.key < $1.key }
            return list.isEmpty ? "sets nothing" : list.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        }
        let inForce = merged.paths.isEmpty ? "none, therefore the C locale" : merged.paths.joined(separator: ", then ")
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

    private static func table(_ settings: Settings) -> FileTable<[String: String]> {
        FileTable(
            paths: settings.files, root: settings.root,
            timing: FileSettling.Timing(readDelay: settings.settle, deletionGrace: settings.deletionGrace),
            format: FileFormat(sizeLimit: sizeLimit, membership: nil) { path, _, bytes throws(FormatError) in
                try LocaleFiles.variables(of: path, bytes)
            })
    }
}
