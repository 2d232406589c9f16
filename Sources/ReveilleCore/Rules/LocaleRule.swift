// SPDX-License-Identifier: Apache-2.0

/// Derives the reading from the variables of a locale.
///
/// The order LC_ALL, LC_MESSAGES, LANG is ICU's. An empty or invalid value is treated as not set.
package enum LocaleRule {
    /// The variables of a locale; a file may set others.
    package static let variables: Set<String> = [
        "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES",
        "LC_PAPER", "LC_NAME", "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION",
    ]

    /// The longest valid value in bytes, as in systemd's locale_is_valid.
    private static let valueLimit = 127

    /// Returns the reading; LANGUAGE is for messages only, and is ignored in the C locale, as in gettext.
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

    /// Returns whether a value is valid: 1 to 127 bytes without a slash or control characters.
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

    /// Returns the tags of a colon-separated list without duplicates, up to the C locale, after which nothing is translated.
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

/// The variables that the region in GNOME's settings sets at login, which Phosh uses too.
package enum GnomeLocale {
    private static let region = "/org/gnome/system/locale/region"
    private static let formats = ["LC_NUMERIC", "LC_TIME", "LC_MONETARY", "LC_MEASUREMENT", "LC_PAPER"]

    /// Returns the variables that a database sets; an empty region, or a value of another type, sets none.
    package static func variables(in database: DconfDatabase) throws(FormatError) -> [String: String] {
        // A text in a variant ends with a NUL; the type follows, after another one.
        guard let value = try database.value(of: region), value.count > 3, value.suffix(3) == [0, 0, UInt8(ascii: "s")]
        else { return [:] }
        let text = String(decoding: value.dropLast(3), as: UTF8.self)
        return Dictionary(uniqueKeysWithValues: formats.map { ($0, text) })
    }
}

/// The variables that the keys of Plasma's `plasma-localerc` set at login.
package enum PlasmaLocale {
    private static let formats = [
        "LANG", "LC_NUMERIC", "LC_TIME", "LC_MONETARY", "LC_MEASUREMENT", "LC_COLLATE", "LC_CTYPE",
    ]

    /// Returns the variables that a file sets; empty values are ignored.
    package static func variables(in file: Keyfile) -> [String: String] {
        var variables: [String: String] = [:]
        for name in formats { variables[name] = file.entries["Formats/" + name] }
        variables["LANGUAGE"] = file.entries["Translations/LANGUAGE"]
        return variables.filter { !$0.value.isEmpty }
    }
}
