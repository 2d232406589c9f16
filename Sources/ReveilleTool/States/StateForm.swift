// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleWire

/// The textual form of an aspect's state, on the command line and in scenarios.
struct StateForm {
    /// The values that a field accepts.
    enum Values {
        case words([String], orNull: Bool = false)
        /// A number from 0 to 1, or null.
        case level
        /// A Boolean, or null.
        case flag
        case bool
        case text
        /// A number, or null.
        case number
        /// A list of strings, with its description.
        case list(String)
        /// Any other value, with its description.
        case other(String)

        var words: [String] {
            if case .words(let words, let orNull) = self { words + (orNull ? ["null"] : []) } else { [] }
        }

        var isNumber: Bool {
            switch self {
            case .level, .number: true
            default: false
            }
        }

        var description: String {
            switch self {
            case .words: Suggestion.list(words)
            case .level: "a number from 0 to 1, or null"
            case .flag: "true, false or null"
            case .bool: "true or false"
            case .text: "a string"
            case .number: "a number, or null"
            case .list(let text), .other(let text): text
            }
        }
    }

    /// The fields of the interface's structure by name; those of a nested structure as `packs.level`.
    let fields: [String: Values]
    /// The default field.
    let mainField: String
    /// The end of the error message for text that is neither a JSON object nor an abbreviation.
    let alternative: String
    /// Returns the fields for which a word is an abbreviation; `nil` if it is not one.
    let expand: (String) throws(Failure) -> PartialReading?

    /// Creates the form of a state that can be abbreviated by the value of one field.
    ///
    /// - Parameters:
    ///   - mainField: The field whose value is an abbreviation of the state.
    ///   - fields: All fields.
    init(mainField: String, fields: [String: Values]) {
        let words = fields[mainField]?.words ?? []
        self.init(mainField: mainField, fields: fields, alternative: ", or \(Suggestion.list(words))") { word in
            words.contains(word) ? PartialReading(words: [mainField: word]) : nil
        }
    }

    init(
        mainField: String, fields: [String: Values], alternative: String,
        expand: @escaping (String) throws(Failure) -> PartialReading?
    ) {
        self.mainField = mainField
        self.fields = fields
        self.alternative = alternative
        self.expand = expand
    }
}

extension BuiltInAspect {
    /// The textual form of its state.
    var form: StateForm {
        switch self {
        case .locale: .locale
        case .defaults: .defaults
        case .battery: .battery
        case .proximity: .proximity
        case .orientation: .orientation
        case .light: .light
        case .display: .display
        case .network: .network
        case .folders: .folders
        case .motion: .motion
        case .shake: .shake
        case .power: .power
        case .lifecycle: .lifecycle
        }
    }

    /// Returns the error for a value that a field, `state` or `packs.level`, does not accept.
    func refusing(_ value: String, for field: String) -> Failure {
        let values = form.fields[field] ?? .text
        let hint = Suggestion.phrase(for: value, among: values.words)
        return Failure(.usage, "\(value): \(self).\(field) must be \(values.description)\(hint)")
    }
}
