// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The language and formats in effect, as identifiers in Foundation's form: `es_ES`, `sr_Latn_RS`, `en_US_POSIX`.
public struct LocaleSettings: Sendable, Hashable, Codable {
    /// The language of messages.
    public var identifier: String
    /// The preferred languages in order, as BCP 47 tags: `pt-BR`, `en`.
    public var languages: [String]
    /// The format of numbers.
    public var numeric: String
    /// The format of dates and times.
    public var time: String
    /// The format of amounts of money.
    public var monetary: String
    /// The system of measurement.
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
    public static let posix = LocaleSettings(
        identifier: "en_US_POSIX", languages: ["en-US-POSIX"], numeric: "en_US_POSIX", time: "en_US_POSIX",
        monetary: "en_US_POSIX", measurement: "en_US_POSIX")
}

extension LocaleSettings: CustomStringConvertible {
    /// The identifier, and formats of other locales: `en_US, time de_DE`.
    public var description: String {
        var parts = [identifier]
        let formats = [("numbers", numeric), ("time", time), ("money", monetary), ("measures", measurement)]
        parts += formats.filter { $0.1 != identifier }.map { "\($0.0) \($0.1)" }
        if languages.count > 1 { parts.append("languages " + languages.joined(separator: " ")) }
        return parts.joined(separator: ", ")
    }
}
