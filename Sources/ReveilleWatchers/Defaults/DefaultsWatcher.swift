// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem

/// Watches the user's settings files and reports the keys of each, with a fingerprint of each value, never the value.
package final class DefaultsWatcher: Watcher {
    /// The largest file, ten times the largest known: a file is parsed on the loop's thread, which blocks the bus.
    package static let sizeLimit = 4 << 20

    package let aspect = BuiltInAspect.defaults
    private let files: WatchedFiles<SettingsFile>

    package init(loop: EventLoop, settings: FileSettings, context: WatcherContext) throws(SystemError) {
        files = try WatchedFiles(
            loop: loop, settings: settings,
            format: FileFormat(
                sizeLimit: { _ in Self.sizeLimit }, membership: { SettingsName($0).membership },
                parse: SettingsFile.read,
                standIn: { $0?.isOpaque == false ? nil : .opaque($1) }),
            context: context
        ) { context.report(.defaults(Self.reading(of: $0))) }
    }

    package var pace: Pace {
        get { files.pace }
        set { files.pace = newValue }
    }

    package func refresh(then completion: @escaping () -> Void) {
        files.refresh(then: completion)
    }

    package var source: SourceDescription {
        guard !files.table.paths.isEmpty else { return .unavailable("no paths are configured") }
        let table = files.current
        let found = Self.reading(of: table).domains.map(\.path)
        if !found.isEmpty { return .available(found.joined(separator: ", ")) }
        return .unavailable("no settings file in " + table.paths.map(table.real).joined(separator: ", "))
    }

    package func examine() -> Examination {
        guard !files.table.paths.isEmpty else {
            return Examination(advice: ["set defaults.paths in the configuration to files or directories"])
        }
        return files.readSeparately().examination { file in
            if file.isOpaque { return "opaque: only the fact that it changes is reported" }
            return file.values.isEmpty ? "no keys" : "keys " + file.values.keys.sorted().joined(separator: ", ")
        }
    }

    private static func reading(of table: FileTable<SettingsFile>) -> Defaults {
        Defaults(
            domains: table.entries.compactMap { path, entry in
                entry.value.map { file in
                    Defaults.Domain(
                        name: SettingsName(path.text).domain, path: table.real(path.text),
                        values: file.values, isOpaque: file.isOpaque)
                }
            })
    }
}
