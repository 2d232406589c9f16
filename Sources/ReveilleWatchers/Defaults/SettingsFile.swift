// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleSystem

/// The keys of a settings file with the fingerprints of their values, or of its bytes if its format is not read.
package struct SettingsFile: Hashable {
    /// A fingerprint for each key; for an opaque file, one fingerprint of all bytes under the empty key.
    package var values: [String: Defaults.Fingerprint]
    /// Whether the format is not read.
    package var isOpaque = false

    static func opaque(_ contents: Digest) -> SettingsFile {
        SettingsFile(values: ["": contents.value], isOpaque: true)
    }

    /// Reads a file, after its last value; `nil` if it was found in a directory and neither its name nor its start is of
    /// a settings file.
    package static func read(
        _ path: String, isFound: Bool, _ bytes: [UInt8], after last: SettingsFile? = nil
    ) throws(FormatError) -> SettingsFile? {
        let name = SettingsName(path)
        if isFound, name.kind == .bare, !Keyfile.opens(bytes) { return nil }
        if bytes.isEmpty, name.kind != .dconf {
            return name.kind == .foreign ? opaque(Digest(of: bytes)) : SettingsFile(values: [:])
        }
        switch name.kind {
        case .propertyList: return try propertyList(bytes)
        case .json: return table(try RelaxedJSON.parse(bytes), bytes)
        case .keyfile: return SettingsFile(try Keyfile(bytes))
        case .text, .bare: return try recognized(bytes)
        case .dconf: return try database(bytes, after: last)
        case .foreign: return (try? recognized(bytes, isForeign: true)) ?? opaque(Digest(of: bytes))
        }
    }

    /// Reads a file whose name does not determine its format; a foreign name excludes the dialects of keyfiles.
    private static func recognized(_ bytes: [UInt8], isForeign: Bool = false) throws(FormatError) -> SettingsFile {
        if BinaryPropertyList.opens(bytes) || XMLPropertyList.opens(bytes) { return try propertyList(bytes) }
        // A list in JSON looks like a group, so a failure here is not an error.
        let first = bytes.first { !$0.isSpace }
        if let first, "{[/".utf8.contains(first), let value = try? RelaxedJSON.parse(bytes) {
            return table(value, bytes)
        }
        if Keyfile.opens(bytes) { return SettingsFile(try Keyfile(bytes, isStrict: isForeign)) }
        guard let keyfile = try? Keyfile(bytes, isStrict: isForeign), !keyfile.entries.isEmpty else {
            return opaque(Digest(of: bytes))
        }
        return SettingsFile(keyfile)
    }

    /// A database without keys is opaque until it has had some.
    private static func database(_ bytes: [UInt8], after last: SettingsFile?) throws(FormatError) -> SettingsFile {
        let values = try DconfDatabase(bytes).values()
        if values.isEmpty, last?.isOpaque != false { return opaque(Digest(of: bytes)) }
        return SettingsFile(values: values.mapValues { SettingsValue.data(Array($0)).fingerprint })
    }

    private static func propertyList(_ bytes: [UInt8]) throws(FormatError) -> SettingsFile {
        let isBinary = BinaryPropertyList.opens(bytes)
        return table(isBinary ? try BinaryPropertyList.parse(bytes) : try XMLPropertyList.parse(bytes), bytes)
    }

    private static func table(_ value: SettingsValue, _ bytes: [UInt8]) -> SettingsFile {
        // A list or a single value has no keys.
        guard case .dictionary(let values) = value else { return opaque(Digest(of: bytes)) }
        return SettingsFile(values: values.mapValues(\.fingerprint))
    }
}

extension SettingsFile {
    private init(_ keyfile: Keyfile) {
        self.init(values: keyfile.entries.mapValues { SettingsValue.string($0).fingerprint })
    }
}

/// The path of a settings file, whose last names suggest its format and name its domain.
struct SettingsName: Hashable {
    enum Kind: Hashable {
        case propertyList, json, keyfile
        /// Usually a keyfile: `*.conf`, `*rc`, `config`.
        case text
        /// No extension, as in `kdeglobals`: the contents decide.
        case bare
        /// A database of dconf, which has no extension and, if damaged, can be recognized only by its directory.
        case dconf
        /// An extension of another format.
        case foreign
    }

    let kind: Kind
    /// The name without its extension; the dot of a hidden file does not begin an extension.
    let domain: String

    init(_ path: String) {
        let name = ConfiguredPath.name(of: path)
        let folder = path.utf8.dropLast(name.utf8.count)
        let bytes = name.utf8
        let dot = bytes.dropFirst().lastIndex(of: UInt8(ascii: "."))
        let end = dot.map { String(name[bytes.index(after: $0)...]) }
        switch end {
        // Temporary files have an extension.
        case nil where ["/dconf/", "/dconf/db/"].contains { folder.suffix($0.utf8.count).elementsEqual($0.utf8) }:
            kind = .dconf
        case "plist": kind = .propertyList
        case "json", "jsonc", "json5": kind = .json
        case "ini": kind = .keyfile
        case "conf": kind = .text
        case _ where bytes.suffix(2).elementsEqual("rc".utf8):
            kind = .text
            // The part after a dot in `org.example.desktop-appletsrc` is not an extension.
            domain = name
            return
        case nil where name == "config": kind = .text
        // Hidden files without an extension are usually temporary files that are about to be renamed.
        case nil: kind = bytes.first == UInt8(ascii: ".") ? .foreign : .bare
        default: kind = .foreign
        }
        domain = dot.map { String(name[..<$0]) } ?? name
    }

    /// The name of the domain of a file in the folder of a program, such as `app/settings`; dconf's is `dconf`.
    func domain(in program: String?) -> String {
        guard let program else { return domain }
        return kind == .dconf && domain == "user" ? program : program + "/" + domain
    }

    /// Whether a file with this name in a watched directory is a settings file.
    var membership: FileFormat<SettingsFile>.Membership {
        switch kind {
        case .propertyList, .json, .keyfile, .text, .dconf: .yes
        case .bare: .perhaps
        case .foreign: .no
        }
    }
}
