// SPDX-License-Identifier: Apache-2.0

/// A locale by its POSIX name, as the C library takes it: `ll[_CC][.codeset][@modifier]`.
///
/// A codeset is dropped; a modifier becomes a script or a variant, or is dropped. Hyphens are read as underscores. A
/// name without a language is the C locale, as for setlocale(3).
package struct LocaleName: Sendable, Hashable {
    /// The identifier in Foundation's form: `es_ES`, `sr_Latn_RS`, `ca_ES_VALENCIA`, `en_US_POSIX`.
    package let identifier: String

    /// The locale without any settings, which ICU calls `en_US_POSIX` (putil.cpp).
    package static let posix = LocaleName(identifier: "en_US_POSIX")

    /// The BCP 47 tag: the identifier with hyphens.
    package var tag: String {
        String(identifier.map { $0 == "_" ? "-" : $0 })
    }

    package init(posix name: String) {
        let halves = name.utf8.split(separator: UInt8(ascii: "@"), maxSplits: 1, omittingEmptySubsequences: false)
        let modifier = halves.count == 2 ? Substring(halves[1]).lowercased() : ""
        let base = halves[0].prefix { $0 != UInt8(ascii: ".") }
        let isSeparator = { (byte: UInt8) in byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") }
        var parts = base.split(whereSeparator: isSeparator).map { String(Substring($0)) }
        guard let language = parts.first?.lowercased(), Self.isLanguage(language) else {
            self = .posix
            return
        }
        parts.removeFirst()
        self.init(language: language, subtags: parts, modifier: modifier)
    }

    private init(identifier: String) {
        self.identifier = identifier
    }

    private init(language: String, subtags: [String], modifier: String) {
        let renamed = modifier == "nynorsk" ? "nn" : Self.languages[language] ?? language
        var script = renamed == "sr_Latn" ? "Latn" : Self.scripts[modifier]
        var region: String?
        var variants: [String] = []
        for subtag in subtags where subtag.utf8.allSatisfy({ $0.isLetter || $0.isDigit }) {
            switch subtag.utf8.count {
            case 4 where subtag.utf8.allSatisfy(\.isLetter) && region == nil:
                script = subtag.prefix(1).uppercased() + subtag.dropFirst().lowercased()
            case 2, 3:
                region = region ?? subtag.uppercased()
            default:
                variants.append(subtag.uppercased())
            }
        }
        if modifier == "valencia" { variants.append("VALENCIA") }
        let language = String(renamed.prefix { $0 != "_" })
        identifier = ([language, script, region].compactMap(\.self) + variants).joined(separator: "_")
    }

    /// Codes that ISO 639 withdrew, and a code that also stands for a script.
    private static let languages = [
        "no": "nb", "iw": "he", "in": "id", "ji": "yi", "mo": "ro", "sh": "sr_Latn",
    ]

    /// The modifiers of the C library's locales that select a script.
    private static let scripts = [
        "latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva", "iqtelif": "Latn",
    ]

    /// Whether a text is two or three letters, unlike `C`, `POSIX` or an alias such as `german`.
    private static func isLanguage(_ text: String) -> Bool {
        (2...3).contains(text.utf8.count) && text.utf8.allSatisfy(\.isLetter)
    }
}
