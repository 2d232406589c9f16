// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import ReveilleSystem

/// Watches the user's settings files and reports the keys of each, with a fingerprint of each value.
///
/// Loop thread only. The values themselves are never reported.
package final class DefaultsWatcher: Watcher {
    /// The paths to watch, and delays.
    package struct Settings: Sendable, Hashable {
        /// Files, or directories whose settings files are watched; absolute, or below home as `~/…`.
        package var paths: [String]
        /// A directory to which all paths are relative, without being part of them; empty for the root directory.
        package var root: String
        /// The user's home directory, absolute, without the root.
        package var home: String
        /// The time from the end of a write to the read.
        package var settle: Duration
        /// How long a missing or empty file keeps its keys.
        package var deletionGrace: Duration

        /// Creates settings.
        package init(
            paths: [String], root: String = "", home: String, settle: Duration = .milliseconds(50),
            deletionGrace: Duration = .milliseconds(250)
        ) {
            self.paths = paths
            self.root = root
            self.home = home
            self.settle = settle
            self.deletionGrace = deletionGrace
        }
    }

    /// The largest settings file that is read: 4 MiB, about ten times the largest known.
    ///
    /// A file is read and parsed on the loop's thread, during which the bus serves nobody.
    package static let sizeLimit = 4 << 20

    package let aspect = Aspect.defaults
    private let settings: Settings
    private let report: (Reading) -> Void
    private let files: WatchedFiles<SettingsFile>

    /// Creates a watcher that is off.
    ///
    /// - Throws: `SystemError` if a timer cannot be created.
    package init(loop: EventLoop, settings: Settings, context: WatcherContext) throws(SystemError) {
        self.settings = settings
        report = context.report
        files = try WatchedFiles(
            loop: loop, root: settings.root, table: Self.table(settings), context: context)
        files.read = { [weak self] in self?.reportReading() }
    }

    package var pace: Pace {
        get { files.pace }
        set { files.pace = newValue }
    }

    /// Reads every file now, and calls the completion before returning.
    package func refresh(then completion: @escaping () -> Void) {
        files.refresh(then: completion)
    }

    private func reportReading() {
        report(.defaults(Self.reading(of: files.table)))
    }

    package var source: SourceDescription {
        guard !settings.paths.isEmpty else { return .unavailable("no paths are configured") }
        let table = files.current
        let found = Self.reading(of: table).domains.map(\.path)
        if !found.isEmpty { return .available(found.joined(separator: ", ")) }
        return .unavailable("no settings file in " + table.paths.map(table.real).joined(separator: ", "))
    }

    package func examine() -> Examination {
        guard !settings.paths.isEmpty else {
            return Examination(advice: ["set defaults.paths in the configuration to files or directories"])
        }
        return files.readSeparately().examination { file in
            if file.isOpaque { return "opaque: only the fact that it changes is reported" }
            return file.values.isEmpty ? "no keys" : "keys " + file.values.keys.sorted().joined(separator: ", ")
        }
    }

    private static func table(_ settings: Settings) -> FileTable<SettingsFile> {
        FileTable(
            paths: settings.paths.map { ConfiguredPath.expanded($0, home: settings.home) },
            root: settings.root,
            timing: FileSettling.Timing(readDelay: settings.settle, deletionGrace: settings.deletionGrace),
            format: FileFormat(
                sizeLimit: sizeLimit, membership: { SettingsName($0).membership }, parse: SettingsFile.read))
    }

    private static func reading(of table: FileTable<SettingsFile>) -> Defaults {
        Defaults(
            domains: table.entries.compactMap { path, entry in
                entry.value.map { file in
                    Defaults.Domain(
                        name: SettingsName(ConfiguredPath.name(of: path)).domain, path: table.real(path),
                        values: file.values,
                        isOpaque: file.isOpaque)
                }
            })
    }
}
