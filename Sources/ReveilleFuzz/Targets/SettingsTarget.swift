// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWatchers
import Varlink

/// Checks that a file is parsed or rejected under any name, that formats are distinguished, and that plain JSON is parsed
/// as by the protocol's own parser.
enum SettingsTarget {
    static func check(_ bytes: [UInt8]) throws(Falsified) {
        for name in ["/a.plist", "/a.ini"] {
            guard let file = try? SettingsFile.read(name, isFound: false, bytes) else { continue }
            try checkKeys(of: file, bytes)
        }
        guard let foreign = try? SettingsFile.read("/a.txt", isFound: false, bytes) else {
            throw Falsified("an explicitly named file of another format is accepted")
        }
        try checkKeys(of: foreign, bytes)
        try checkJSON(bytes)
        try checkKeyfile(bytes)
    }

    private static func checkKeys(of file: SettingsFile, _ bytes: [UInt8]) throws(Falsified) {
        guard file.isOpaque else { return }
        try requireEqual(file.values, ["": Digest(of: bytes).value], "an opaque file and the digest of its bytes")
    }

    private static func checkJSON(_ bytes: [UInt8]) throws(Falsified) {
        let file = try? SettingsFile.read("/a.json", isFound: false, bytes)
        guard let object = (try? JSON.parse(bytes))?.objectValue else { return }
        guard let file else { throw Falsified("JSON is read as settings: \(object)") }
        try requireEqual(Set(file.values.keys), Set(object.members.map(\.name)), "the keys of settings and of JSON")
    }

    private static func checkKeyfile(_ bytes: [UInt8]) throws(Falsified) {
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
