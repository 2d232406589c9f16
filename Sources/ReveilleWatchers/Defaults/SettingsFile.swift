// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
import ReveilleSystem

/// What a settings file holds: its keys with the fingerprints of their values, or bytes that are not read.
package struct SettingsFile: Hashable {
    /// A fingerprint a key; of an opaque file one of all bytes, under the empty key.
    package var values: [String: Defaults.Fingerprint]
    /// The format is not read.
    package var isOpaque = false

    /// A file whose format is not read.
    static func opaque(_ bytes: [UInt8]) -> SettingsFile {
        SettingsFile(values: ["": Digest(of: bytes).value], isOpaque: true)
    }

    /// Reads a file by its name and what is in it.
    ///
    /// - Parameters:
    ///   - path: Its path, links not followed.
    ///   - isFound: It was found in a directory: without a settings file's name it must open as a keyfile.
    ///   - bytes: What is in it.
    /// - Returns: `nil` for a file that was found and is no settings file.
    /// - Throws: `FileProblem` when it is of a format that is read, and broken.
    package static func read(
        _ path: String, isFound: Bool, _ bytes: [UInt8]
    ) throws(FileProblem) -> SettingsFile? {
        let text = String(validating: bytes, as: UTF8.self)
        let name = SettingsName(ConfiguredPath.name(of: path))
        if isFound, name.kind == .bare, !(text.map(Keyfile.opens) ?? false) { return nil }
        // dconf's databases have no extension and, when broken, nothing to know them by but their place.
        if PathChain.names(of: path).dropLast().last == "dconf" { return opaque(bytes) }
        if bytes.isEmpty { return name.kind == .foreign ? opaque(bytes) : SettingsFile(values: [:]) }
        switch name.kind {
        case .propertyList: return try table(propertyList(bytes), bytes)
        case .json: return try table(SettingsJSON.parse(bytes), bytes)
        case .keyfile: return try keyfile(text)
        case .text, .bare: return try recognized(bytes, text)
        case .foreign: return (try? recognized(bytes, text)) ?? opaque(bytes)
        }
    }

    /// Reads what has no format by its name.
    private static func recognized(_ bytes: [UInt8], _ text: String?) throws(FileProblem) -> SettingsFile {
        if BinaryPropertyList.opens(bytes) || SettingsXML.opens(bytes) { return try table(propertyList(bytes), bytes) }
        guard let text else { return opaque(bytes) }
        // A list in JSON looks like a group; that fails here is only a "no".
        let first = bytes.first { !SettingsJSON.isSpace($0) }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "["), let value = try? SettingsJSON.parse(bytes) {
            return table(value, bytes)
        }
        if Keyfile.opens(text) { return try keyfile(text) }
        guard let keyfile = try? Keyfile(text), !keyfile.entries.isEmpty else { return opaque(bytes) }
        return SettingsFile(keyfile)
    }

    private static func propertyList(_ bytes: [UInt8]) throws(FileProblem) -> SettingsValue {
        BinaryPropertyList.opens(bytes) ? try BinaryPropertyList.parse(bytes) : try SettingsXML.parse(bytes)
    }

    private static func keyfile(_ text: String?) throws(FileProblem) -> SettingsFile {
        guard let text else { throw FileProblem(reason: "not UTF-8") }
        do {
            return SettingsFile(try Keyfile(text))
        } catch {
            throw FileProblem(reason: "line \(error.line) \(error.reason)")
        }
    }

    private static func table(_ value: SettingsValue, _ bytes: [UInt8]) -> SettingsFile {
        // A list or a lone value has no keys to tell.
        guard case .dictionary(let values) = value else { return opaque(bytes) }
        return SettingsFile(values: values.mapValues(\.fingerprint))
    }

    private init(values: [String: Defaults.Fingerprint], isOpaque: Bool = false) {
        self.values = values
        self.isOpaque = isOpaque
    }

    private init(_ keyfile: Keyfile) {
        self.init(values: keyfile.entries.mapValues { SettingsValue.string($0).fingerprint })
    }
}
