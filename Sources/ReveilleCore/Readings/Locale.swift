// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Language and formats in force.
///
/// Identifiers are as Foundation writes them: `es_ES`, `sr_Latn_RS`, `en_US_POSIX`.
public struct LocaleSettings: Sendable, Hashable, Codable {
    /// The language of messages.
    public var identifier: String
    /// BCP 47 tags in order of preference: `pt-BR`, `en`.
    public var languages: [String]
    /// How numbers are written.
    public var numeric: String
    /// How dates and times are written.
    public var time: String
    /// How amounts of money are written.
    public var monetary: String
    /// The system of measurement.
    public var measurement: String

    /// Makes a reading of its parts.
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

    /// What a system reads that sets no locale (the C locale).
    public static let posix = LocaleSettings(
        identifier: "en_US_POSIX", languages: ["en-US-POSIX"], numeric: "en_US_POSIX", time: "en_US_POSIX",
        monetary: "en_US_POSIX", measurement: "en_US_POSIX")
}

extension LocaleSettings: CustomStringConvertible {
    /// The identifier, and the formats that are another's.
    public var description: String {
        var parts = [identifier]
        let formats = [("numbers", numeric), ("time", time), ("money", monetary), ("measures", measurement)]
        parts += formats.filter { $0.1 != identifier }.map { "\($0.0) \($0.1)" }
        if languages.count > 1 { parts.append("languages " + languages.joined(separator: " ")) }
        return parts.joined(separator: ", ")
    }
}
