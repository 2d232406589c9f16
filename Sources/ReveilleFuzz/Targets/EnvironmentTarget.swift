// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWatchers

/// Checks that any file results in well-formed locale identifiers, and that normalized names do not change again.
enum EnvironmentTarget {
    private static let paths = ["/etc/locale.conf", "/home/.pam_environment", "/home/plasma-localerc"]

    static func check(_ bytes: [UInt8]) throws(Falsified) {
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

    private static func check(_ reading: LocaleSettings) throws(Falsified) {
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
    private static func checkQuoting(_ variables: [String: String]) throws(Falsified) {
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
