// SPDX-License-Identifier: Apache-2.0

/// The name of a settings file, which suggests its format and names its domain.
struct SettingsName: Hashable {
    enum Kind: Hashable {
        case propertyList, json, keyfile
        /// Usually a keyfile: `*.conf`, `*rc`.
        case text
        /// No extension, as in `kdeglobals`: the contents decide.
        case bare
        /// An extension of another format.
        case foreign
    }

    let kind: Kind
    /// The domain: the name without its extension.
    ///
    /// The dot of a hidden file does not begin an extension.
    let domain: String

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
            // The part after a dot in `org.example.desktop-appletsrc` is not an extension.
            domain = name
            return
        // Hidden files without an extension are usually temporary files that are about to be renamed.
        case nil: kind = bytes.first == UInt8(ascii: ".") ? .foreign : .bare
        default: kind = .foreign
        }
        domain = dot.map { String(name[..<$0]) } ?? name
    }
}

extension SettingsName {
    /// Whether a file with this name in a watched directory is a settings file.
    var membership: FileFormat<SettingsFile>.Membership {
        switch kind {
        case .propertyList, .json, .keyfile, .text: .yes
        case .bare: .perhaps
        case .foreign: .no
        }
    }
}
