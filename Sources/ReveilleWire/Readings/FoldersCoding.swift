// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Folders`.
extension Folders: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.folders, folders)
    }

    init(_ fields: borrowing Fields) throws(CallError) {
        var folders: [Folders.Folder] = []
        for folder in try fields.structures(.folders) { folders.append(try Folders.Folder(folder)) }
        self.init(folders: folders)
    }
}

/// The interface's structure `Folder`.
extension Folders.Folder: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.name, name)
        fields.add(.path, path)
        fields.add(.added, added)
        fields.add(.removed, removed)
        fields.add(.changed, changed)
        fields.add(.renamed, renamed)
        fields.add(.rescan, isRescan)
    }

    fileprivate init(_ fields: borrowing Fields) throws(CallError) {
        self.init(name: try fields.string(.name), path: try fields.string(.path))
        added = try fields.strings(.added)
        removed = try fields.strings(.removed)
        changed = try fields.strings(.changed)
        for rename in try fields.structures(.renamed) {
            renamed.append(Folders.Rename(from: try rename.string(.from), to: try rename.string(.to)))
        }
        isRescan = try fields.bool(.rescan)
    }
}

/// The interface's structure `Rename`.
extension Folders.Rename: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.from, from)
        fields.add(.to, to)
    }
}
