// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille

/// A field of a state, as the interface names it, and the values that it accepts.
struct StateField {
    /// The field's name with its aspect: `battery.state`.
    let name: String

    /// The words that the field accepts; empty if its values are not words.
    private var words: [String] {
        switch name {
        case "proximity.state": Proximity.allCases.map(\.rawValue)
        case "battery.state": Battery.State.allCases.map(\.rawValue)
        case "battery.chargeStatus", "battery.packs.chargeStatus": Battery.ChargeStatus.allCases.map(\.rawValue)
        case "orientation.pose": Orientation.Pose.allCases.map(\.rawValue)
        case "orientation.planar": Orientation.Pose.allCases.filter(\.isPlanar).map(\.rawValue) + ["null"]
        default: []
        }
    }

    private var expectation: String {
        if !words.isEmpty { return Suggestion.list(words) }
        switch name {
        case "battery.level", "battery.packs.level": return "a number from 0 to 1, or null"
        case "battery.plugged": return "true, false or null"
        case "battery.packs": return "a list of packs, each with name, level and chargeStatus"
        case "locale.languages": return "a list of language tags"
        case "defaults.domains": return "a list of domains, each with domain, path, keys and opaque"
        case "defaults.domains.path": return "a path that is unique among the domains"
        case "defaults.domains.opaque": return "true or false"
        case "defaults.domains.keys": return "a list of keys"
        default: return "a string"
        }
    }

    /// Throws if the field does not accept a word.
    func check(_ word: String) throws(Failure) {
        guard words.contains(word) else { throw refusing(word) }
    }

    /// Returns the error for a value that the field does not accept.
    func refusing(_ value: String) -> Failure {
        let hint = Suggestion.phrase(for: value, among: words)
        return Failure(.usage, "\(value): \(name) must be \(expectation)\(hint)")
    }

    /// Returns the error for a value that is neither a JSON object nor an abbreviation of one.
    static func refusing(_ value: String, for aspect: Aspect) -> Failure {
        let alternative =
            switch aspect {
            case .battery, .proximity: ", or \(Suggestion.list(Self(name: "\(aspect).state").words))"
            case .orientation: ", or \(Suggestion.list(Self(name: "orientation.pose").words))"
            case .locale: ", or a locale name such as de_DE"
            case .defaults: " with the field domains"
            }
        return Failure(.usage, "\(value): \(aspect) must be a JSON object\(alternative)")
    }
}
