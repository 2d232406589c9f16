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
                standIn: { last, contents, error in
                    last?.isOpaque == false && !error.isLimit ? nil : .opaque(contents)
                }),
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

    package var mayLag: Bool { files.mayLag }

    package func update(then completion: @escaping () -> Void) {
        files.update(then: completion)
    }

    package var source: SourceDescription {
        guard !files.table.paths.isEmpty else { return .unavailable("no paths are configured") }
        let table = files.current
        let found = table.entries.filter { $0.value.value != nil }.keys
        let listed = found.filter { table.program(of: $0) == nil }.map(\.text).sorted()
        var sources = listed.map(table.real)
        if found.count > listed.count {
            let homes = table.homes.map { table.real($0.text) }.sorted().joined(separator: ", ")
            let count = found.count - listed.count
            sources.append("\(count) \(count == 1 ? "file" : "files") in the folders of \(homes)")
        }
        let left = table.left.map { table.real($0.text) }.sorted()
        if !left.isEmpty { sources.append("read rarely, since they change often: " + left.joined(separator: ", ")) }
        if !sources.isEmpty { return .available(sources.joined(separator: ", ")) }
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
        let files = table.entries.compactMap { path, entry in
            entry.value.map { (path: path.text, program: table.program(of: path), file: $0) }
        }
        // Of files in the folder of a program whose names differ in their extensions, the first has the short name.
        var names: Set<String> = []
        let sorted = files.sorted { one, other in
            if (one.program == nil) != (other.program == nil) { return one.program == nil }
            return one.path.utf8.lexicographicallyPrecedes(other.path.utf8)
        }
        return Defaults(
            domains: sorted.map { path, program, file in
                var name = SettingsName(path).domain(in: program)
                if let program, !names.insert(name).inserted { name = program + "/" + ConfiguredPath.name(of: path) }
                names.insert(name)
                return Defaults.Domain(
                    name: name, path: table.real(path), values: file.values, isOpaque: file.isOpaque)
            })
    }
}
