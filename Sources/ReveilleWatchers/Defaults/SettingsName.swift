// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What the name of a settings file says.
struct SettingsName: Hashable {
    /// What a file may hold, by its name.
    enum Kind: Hashable {
        case propertyList, json, keyfile
        /// A keyfile most often: `*.conf`, `*rc`.
        case text
        /// No extension: what is in it decides, as in `kdeglobals`.
        case bare
        /// An extension of another format.
        case foreign
    }

    /// What the file may hold.
    let kind: Kind
    /// The domain: the name without its extension.
    ///
    /// The dot that hides a file begins no extension.
    let domain: String

    /// Reads a file's name.
    init(_ name: String) {
        let bytes = name.utf8
        let dot = bytes.dropFirst().lastIndex(of: UInt8(ascii: "."))
        let end = dot.map { String(name[bytes.index(after: $0)...]) }
        switch end {
        case "plist": kind = .propertyList
        case "json": kind = .json
        case "ini": kind = .keyfile
        case "conf": kind = .text
        case _ where bytes.suffix(2).elementsEqual("rc".utf8):
            kind = .text
            // What follows a dot in `org.example.desktop-appletsrc` is no extension.
            domain = name
            return
        // Hidden, and of no known format: what programs write on the way to a rename.
        case nil: kind = bytes.first == UInt8(ascii: ".") ? .foreign : .bare
        default: kind = .foreign
        }
        domain = dot.map { String(name[..<$0]) } ?? name
    }
}

extension SettingsName {
    /// Whether a file of such a name in a watched directory is a settings file.
    var membership: FileFormat<SettingsFile>.Membership {
        switch kind {
        case .propertyList, .json, .keyfile, .text: .yes
        case .bare: .perhaps
        case .foreign: .no
        }
    }
}
