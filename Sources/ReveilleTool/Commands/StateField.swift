// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille

/// A field of a state, as the interface names it, and what it takes.
struct StateField {
    /// With its aspect: `battery.state`.
    let name: String

    /// The words that it takes; none where it takes others than words.
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
        case "defaults.domains.path": return "a path that no other domain has"
        case "defaults.domains.opaque": return "true or false"
        case "defaults.domains.keys": return "a list of keys"
        default: return "a text"
        }
    }

    /// Refuses a word that the field does not take.
    func check(_ word: String) throws(Failure) {
        guard words.contains(word) else { throw refusing(word) }
    }

    /// The error for a value that the field does not take.
    func refusing(_ value: String) -> Failure {
        let hint = Suggestion.phrase(for: value, among: words)
        return Failure(.usage, "\(value): \(name) is \(expectation)\(hint)")
    }

    /// The error for what is neither a state in JSON nor a word that stands for one.
    static func refusing(_ value: String, for aspect: Aspect) -> Failure {
        let alternative =
            switch aspect {
            case .battery, .proximity: ", or \(Suggestion.list(Self(name: "\(aspect).state").words))"
            case .orientation: ", or \(Suggestion.list(Self(name: "orientation.pose").words))"
            case .locale: ", or the name of a locale, as in de_DE"
            case .defaults: " with the field domains"
            }
        return Failure(.usage, "\(value): \(aspect) is a JSON object\(alternative)")
    }
}
