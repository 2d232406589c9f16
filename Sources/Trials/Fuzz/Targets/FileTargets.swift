// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWatchers
import ReveilleWire
import Varlink

/// Checks that any file results in well-formed locale identifiers, and that normalized names do not change again.
enum EnvironmentTarget {
    private static let paths = ["/etc/locale.conf", "/home/.pam_environment", "/home/plasma-localerc"]

    static func check(_ bytes: [UInt8]) throws(Broken) {
        var all: [String: String] = [:]
        for path in paths {
            guard let variables = try? LocaleFiles.variables(of: path, bytes) else { continue }
            try check(LocaleRule.reading(of: variables))
            all.merge(variables) { $1 }
        }
        try check(LocaleRule.reading(of: all))
        let text = String(decoding: bytes, as: UTF8.self)
        let name = LocaleName(posix: text)
        try requireEqual(LocaleName(posix: name.identifier), name, "a name after normalization")
        try checkQuoting(EnvironmentFile.variables(in: Array(text.utf8)))
    }

    private static func check(_ reading: LocaleSettings) throws(Broken) {
        let names = [reading.identifier, reading.numeric, reading.time, reading.monetary, reading.measurement]
        for name in names { try require(isMade(of: "_", name), "an identifier, not \(name)") }
        try require(!reading.languages.isEmpty, "a language")
        for tag in reading.languages { try require(isMade(of: "-", tag), "a tag, not \(tag)") }
        try requireEqual(Set(reading.languages).count, reading.languages.count, "the number of different languages")
    }

    private static func isMade(of separator: Unicode.Scalar, _ name: String) -> Bool {
        let parts = name.unicodeScalars.split(separator: separator, omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { "a"..."z" ~= $0 || "A"..."Z" ~= $0 || "0"..."9" ~= $0 }
        }
    }

    /// Checks that variables survive being written in double quotes and parsed again.
    private static func checkQuoting(_ variables: [String: String]) throws(Broken) {
        let plain = variables.filter { $0.key.unicodeScalars.allSatisfy { "A"..."Z" ~= $0 || $0 == "_" } }
        var text = ""
        for (key, value) in plain {
            var quoted = ""
            for scalar in value.unicodeScalars {
                if ["\"", "\\", "`", "$"].contains(scalar) { quoted += "\\" }
                quoted.unicodeScalars.append(scalar)
            }
            text += "\(key)=\"\(quoted)\"\n"
        }
        try requireEqual(EnvironmentFile.variables(in: Array(text.utf8)), plain, "variables after encoding")
    }
}

/// Checks that a file is parsed or rejected under any name, that formats are distinguished, and that plain JSON is parsed
/// as by the protocol's own parser.
enum SettingsTarget {
    static func check(_ bytes: [UInt8]) throws(Broken) {
        for name in ["/a.plist", "/a.ini"] {
            guard let file = try? SettingsFile.read(name, isFound: false, bytes) else { continue }
            try checkKeys(of: file, bytes)
        }
        guard let foreign = try? SettingsFile.read("/a.txt", isFound: false, bytes) else {
            throw Broken("an explicitly named file of another format is accepted")
        }
        try checkKeys(of: foreign, bytes)
        try checkJSON(bytes)
        try checkKeyfile(bytes)
    }

    private static func checkKeys(of file: SettingsFile, _ bytes: [UInt8]) throws(Broken) {
        guard file.isOpaque else { return }
        try requireEqual(file.values, ["": Digest(of: bytes).value], "an opaque file and the digest of its bytes")
    }

    private static func checkJSON(_ bytes: [UInt8]) throws(Broken) {
        let file = try? SettingsFile.read("/a.json", isFound: false, bytes)
        guard let object = (try? JSON.parse(bytes))?.objectValue else { return }
        guard let file else { throw Broken("JSON is read as settings: \(object)") }
        try requireEqual(Set(file.values.keys), Set(object.members.map(\.name)), "the keys of settings and of JSON")
    }

    private static func checkKeyfile(_ bytes: [UInt8]) throws(Broken) {
        guard let keyfile = try? Keyfile(bytes) else { return }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if !bytes.starts(with: mark) {
            let marked = mark + bytes
            try requireEqual(try? Keyfile(marked), keyfile, "a keyfile with and without a byte order mark")
            try requireEqual(
                Keyfile.opens(marked), Keyfile.opens(bytes),
                "the detection of a keyfile with and without a byte order mark")
        }
        for key in keyfile.entries.keys { try require(!key.isEmpty, "a key has a name") }
    }
}

/// Checks that a database is read or rejected with a reason, and that looking one key up agrees with reading all.
enum DconfTarget {
    static func check(_ bytes: [UInt8]) throws(Broken) {
        let database: DconfDatabase
        let values: [String: ArraySlice<UInt8>]
        do {
            database = try DconfDatabase(bytes)
            values = try database.values()
        } catch {
            return try require(!error.reason.isEmpty, "a reason")
        }
        var length = 0
        for (key, value) in values {
            length += value.count
            try require(key.utf8.first == UInt8(ascii: "/"), "the key \(key) is a path")
            try require(bytes.indices.contains(value.startIndex) || value.isEmpty, "the value of \(key) is in the file")
            // A damaged file may have other hashes.
            guard let found = try? database.value(of: key) else { continue }
            try requireEqual(found, value, "the value of \(key)")
        }
        try require(length <= bytes.count, "the values have \(length) bytes")
        let file = try? SettingsFile.read("/dconf/user", isFound: true, bytes)
        try requireEqual(file?.isOpaque, values.isEmpty, "a database without keys is opaque")
        let region = (try? LocaleFiles.variables(of: "/dconf/user", bytes))?["LC_TIME"]
        try require(region == nil || values["/org/gnome/system/locale/region"] != nil, "a region has a key")
    }
}

/// Checks that any files result in a description with readable texts and possible numbers, which does not contain the
/// machine ID.
///
/// The input consists of the files in the order of `DeviceFile`, separated by the byte 0x1C.
enum DeviceTarget {
    static func check(_ bytes: [UInt8]) throws(Broken) {
        let parts = bytes.split(separator: 0x1C, omittingEmptySubsequences: false)
        let files = Dictionary(uniqueKeysWithValues: zip(DeviceFile.allCases, parts.map(Array.init)))
        let host = String(decoding: parts.first ?? [], as: UTF8.self)
        let facts = DeviceFacts(host: host, kernel: host, files: files, frequency: bytes.count)
        let info = DeviceInfo(facts, forUser: 0)
        for text in [info.name, info.model, info.vendor, info.system, info.identifier] {
            try require(text?.isEmpty != true, "a text is not empty")
        }
        for text in [info.name, info.model, info.vendor, info.system, info.systemVersion, info.kernel] {
            guard let text else { continue }
            try require(text.utf8.count <= 256, "the text \(text) is short")
            try require(!text.utf8.contains { $0 < 0x20 }, "the text \(text) has no control characters")
        }
        try require(info.processors >= 1 && info.memory >= 0, "the numbers are possible")
        try requireEqual(
            try? DeviceInfo(info.parameters, noting: UnknownWords()), info, "a description after encoding")
        let other = DeviceInfo(facts, forUser: 1)
        try require(info.identifier == nil || info.identifier != other.identifier, "users have different identifiers")
        try checkSecret(of: files, info)
    }

    /// Checks that a valid machine ID is not shown to anybody.
    private static func checkSecret(of files: [DeviceFile: [UInt8]], _ info: DeviceInfo) throws(Broken) {
        for (file, contents) in files {
            let meaning = file.meaning(of: contents)
            guard file == .machineID, info.identifier != nil else { continue }
            let secret = SysfsText.trimmed(String(decoding: contents, as: UTF8.self))
            try require(!meaning.contains(secret), "the machine ID is not shown")
            try require(info.identifier?.filter { $0 != "-" } != secret.lowercased(), "the machine ID is not returned")
        }
    }
}
