// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// From the variables of a locale to what is in force.
///
/// The order LC_ALL, LC_MESSAGES, LANG is that of ICU. An empty or invalid value counts as not set.
package enum LocaleRule {
    /// The variables that the rule reads, and LC_ALL; a file may set others.
    package static let variables: Set<String> = [
        "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES",
        "LC_PAPER", "LC_NAME", "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION",
    ]

    /// The longest value that counts, in bytes, as systemd's locale_is_valid has it.
    package static let valueLimit = 127

    /// What a set of variables puts in force.
    ///
    /// LANGUAGE is a list for messages alone, and says nothing in the C locale (gettext's rule).
    package static func reading(of environment: [String: String]) -> LocaleSettings {
        let messages = name(of: "LC_MESSAGES", in: environment)
        let languages = messages == .posix ? [] : preferred(environment["LANGUAGE"] ?? "")
        return LocaleSettings(
            identifier: messages.identifier,
            languages: languages.isEmpty ? [messages.tag] : languages,
            numeric: name(of: "LC_NUMERIC", in: environment).identifier,
            time: name(of: "LC_TIME", in: environment).identifier,
            monetary: name(of: "LC_MONETARY", in: environment).identifier,
            measurement: name(of: "LC_MEASUREMENT", in: environment).identifier)
    }

    /// Says whether a value counts: 1 to 127 bytes, no path, no control character.
    package static func isValid(_ value: String) -> Bool {
        (1...valueLimit).contains(value.utf8.count)
            && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
    }

    private static func name(of category: String, in environment: [String: String]) -> LocaleName {
        for variable in ["LC_ALL", category, "LANG"] {
            if let value = environment[variable], isValid(value) { return LocaleName(posix: value) }
        }
        return .posix
    }

    /// The tags of a colon list, each once; the C locale ends it, for nothing is translated after that.
    private static func preferred(_ list: String) -> [String] {
        guard isValid(list) else { return [] }
        var tags: [String] = []
        for item in list.utf8.split(separator: UInt8(ascii: ":")) {
            let name = LocaleName(posix: String(Substring(item)))
            if name == .posix { break }
            if !tags.contains(name.tag) { tags.append(name.tag) }
        }
        return tags
    }
}
