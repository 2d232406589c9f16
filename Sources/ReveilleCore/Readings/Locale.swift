// SPDX-License-Identifier: Apache-2.0

/// The language and formats in effect, as locale(7) chooses them from the user's variables and files.
///
/// Each format is the identifier of a locale in Foundation's form, whose conventions apply to it: `es_ES`,
/// `sr_Latn_RS`, or `en_US_POSIX` for the C locale. They can differ: an English system can have German dates.
public struct LocaleSettings: Sendable, Hashable, Codable {
    /// The locale of messages (LC_MESSAGES).
    public var identifier: String
    /// The preferred languages in order, as BCP 47 tags: `pt-BR`, `en`.
    public var languages: [String]
    /// The locale for numbers, such as the decimal separator (LC_NUMERIC).
    public var numeric: String
    /// The locale for dates and times (LC_TIME).
    public var time: String
    /// The locale for amounts of money (LC_MONETARY).
    public var monetary: String
    /// The locale whose system of measurement applies, not the system itself: miles for `en_US` (LC_MEASUREMENT).
    public var measurement: String

    /// Creates a reading.
    public init(
        identifier: String, languages: [String], numeric: String, time: String, monetary: String, measurement: String
    ) {
        self.identifier = identifier
        self.languages = languages
        self.numeric = numeric
        self.time = time
        self.monetary = monetary
        self.measurement = measurement
    }

    /// The reading of a system without a locale (the C locale).
    package static let posix = LocaleSettings(
        identifier: "en_US_POSIX", languages: ["en-US-POSIX"], numeric: "en_US_POSIX", time: "en_US_POSIX",
        monetary: "en_US_POSIX", measurement: "en_US_POSIX")
}

extension LocaleSettings: AspectDeclaration {
    /// The identifier, and formats of other locales: `en_US, time de_DE`.
    public var description: String {
        var parts = [identifier]
        let formats = [("numbers", numeric), ("time", time), ("money", monetary), ("measures", measurement)]
        parts += formats.filter { $0.1 != identifier }.map { "\($0.0) \($0.1)" }
        if languages.count > 1 { parts.append("languages " + languages.joined(separator: " ")) }
        return parts.joined(separator: ", ")
    }

    package static var traits: AspectTraits { AspectTraits(sampling: .always, isDefault: true, place: 10) }
    @usableFromInline package static var blank: LocaleSettings { .posix }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.string("identifier", &identifier)
        coder.show(as: DashboardEntity("locale", "Locale", icon: "mdi:translate", isDiagnostic: true))
        try coder.strings("languages", &languages)
        coder.accepts("a list of language tags")
        try coder.string("numeric", &numeric)
        try coder.string("time", &time)
        try coder.string("monetary", &monetary)
        try coder.string("measurement", &measurement)
    }

    package static var abbreviations: String? { ", or a locale name such as de_DE" }

    package mutating func abbreviate(_ word: String) -> Bool {
        // A name without a valid language would be read as the C locale.
        guard Self.isName(word) else { return false }
        let locale = LocaleName(posix: word)
        let name = locale.identifier
        self = LocaleSettings(
            identifier: name, languages: [locale.tag], numeric: name, time: name, monetary: name, measurement: name)
        return true
    }
}

extension LocaleSettings {
    /// Returns whether a word is a locale name: `C`, `de_DE`, `sr_RS.UTF-8@latin`.
    private static func isName(_ word: String) -> Bool {
        let signs = { (byte: UInt8) in byte.isLetter || byte.isDigit }
        let parts = word.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        let names = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 2, names.count <= 2,
            parts.dropFirst().allSatisfy({ !$0.isEmpty && $0.allSatisfy(signs) }),
            names.dropFirst().allSatisfy({ !$0.isEmpty && $0.allSatisfy { signs($0) || $0 == UInt8(ascii: "-") } })
        else { return false }
        if names[0].elementsEqual("C".utf8) || names[0].elementsEqual("POSIX".utf8) { return true }
        let tags = names[0].split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
        return 2...3 ~= tags[0].count && tags[0].allSatisfy(\.isLetter)
            && tags.dropFirst().allSatisfy { 2...8 ~= $0.count && $0.allSatisfy(signs) }
    }
}
