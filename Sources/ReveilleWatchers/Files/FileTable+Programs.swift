// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// The folders of programs: the subdirectories of a configured directory, such as `~/.config`.
extension FileTable {
    /// The most files in the folder of a program: one has a few files of settings, and more are data.
    static var programLimit: Int { 100 }

    /// The name of the program in whose folder a file was found; `nil` for other files.
    func program(of path: ExactText) -> String? {
        let folder = PathChain.parent(of: path.text)
        guard !asked.contains(path), isProgram(ExactText(folder)) else { return nil }
        return ConfiguredPath.name(of: folder)
    }

    /// Whether a path that is a directory is the folder of a program.
    func isProgram(_ path: ExactText) -> Bool {
        !asked.contains(path) && homes.contains(ExactText(PathChain.parent(of: path.text)))
    }

    /// Whether a path is the folder of a program; its name may be that of any file.
    func leadsToProgram(_ path: String) -> Bool {
        guard isProgram(ExactText(path)) else { return false }
        guard case .directory = PathChain(following: path, root: reader.root).end else { return false }
        return true
    }

    /// Reads a path; the names in a directory of folders may be those of other files.
    func look(at path: ExactText, by way: PathChain, isFound: Bool, _ entry: Entry) -> FileReader<Value>.Look {
        if isFound, case .file = way.end, reader.membership(of: path.text) == .no { return .missing }
        return reader.look(at: path.text, by: way, isFound: isFound, unlike: entry.digest, after: entry.value)
    }

    // MARK: - Attention

    /// The folders that are not watched now, since they change often.
    var left: [ExactText] { entries.filter { $0.value.attention?.leftUntil != nil }.map(\.key) }

    func isLeft(_ path: ExactText) -> Bool { entries[path]?.attention?.leftUntil != nil }

    /// Notes a change in a directory, which is left if it is a folder that changes often.
    mutating func attend(to directory: ExactText, at now: Instant, _ effects: inout Effects) {
        guard entries[directory]?.attention?.notice(at: now) == true else { return }
        effects.disappeared = watched(in: directory)
    }

    /// Watches a folder again if its pause is over.
    mutating func resume(_ path: ExactText, by time: Instant, at now: Instant, _ effects: inout Effects) -> Bool {
        guard let end = entries[path]?.attention?.leftUntil, end <= time else { return false }
        entries[path]?.attention?.resume(at: now)
        effects.appeared += watched(in: path)
        // It is read once it is watched, since it may change in between.
        notice(.finished, of: path, at: now)
        return true
    }

    /// A folder, and its files that are links.
    private func watched(in folder: ExactText) -> [String] {
        [folder.text] + files(in: folder).filter { entries[$0]?.isFollowed == true }.map(\.text)
    }

    /// Reads the folders that are not watched now.
    mutating func readLeft(at now: Instant) -> Effects {
        var effects = Effects()
        for folder in left {
            for path in [folder] + files(in: folder) { read(path, at: now, asked: true, &effects) }
        }
        return effects
    }

    func files(in folder: ExactText) -> [ExactText] {
        entries.keys.filter { ExactText(PathChain.parent(of: $0.text)) == folder }
    }
}
