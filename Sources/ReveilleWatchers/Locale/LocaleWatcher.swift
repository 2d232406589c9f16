// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem

/// Watches the files that configure language and formats.
///
/// The first existing file counts. A `.pam_environment` overrides its values, and a `plasma-localerc` overrides both.
/// Loop thread only.
package final class LocaleWatcher: Watcher {
    /// The largest file that is read: 64 KiB, for some fifteen short lines.
    package static let sizeLimit = 64 << 10

    package let aspect = BuiltInAspect.locale
    private let files: WatchedFiles<[String: String]>

    package init(loop: EventLoop, settings: FileSettings, context: WatcherContext) throws(SystemError) {
        let format = FileFormat(sizeLimit: Self.sizeLimit, membership: nil) { path, _, bytes throws(FormatError) in
            try LocaleFiles.variables(of: path, bytes)
        }
        files = try WatchedFiles(loop: loop, settings: settings, format: format, context: context) {
            context.report(.locale(LocaleFiles(in: $0).reading))
        }
    }

    /// Returns the default paths; a `.pam_environment` is read only if it is configured.
    ///
    /// `configHome` is the value of XDG_CONFIG_HOME; a relative path is ignored, and `nil` stands for `~/.config`.
    package static func usualPaths(home: String, configHome: String?) -> [String] {
        let configHome = configHome.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
        return [
            configHome + "/locale.conf", "/etc/locale.conf", "/etc/default/locale", configHome + "/plasma-localerc",
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
        return .unavailable("none of " + table.paths.map(table.real).joined(separator: ", ") + " exists")
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
