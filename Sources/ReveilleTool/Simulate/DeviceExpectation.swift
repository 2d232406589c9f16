// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Varlink

/// The state that a scenario expects of the last event of an aspect of the device.
struct DeviceExpectation: StateExpectation {
    let aspect: BuiltInAspect
    /// A field of the interface's structure, a domain of `defaults` or a folder.
    let field: String
    /// The field's value as text: for a domain a key, for a folder a difference such as `+name`; empty for any.
    let value: String

    /// Parses the words after an aspect; `nil` if they are invalid or no event can meet the expectation.
    init?(_ aspect: BuiltInAspect, _ words: [String]) {
        guard 1...2 ~= words.count, let value = words.last else { return nil }
        self.aspect = aspect
        let isPart = words.count == 1 && aspect.isReportedInParts
        self.value = isPart ? "" : value
        field = words.count == 2 || isPart ? words[0] : aspect.mainField
        guard aspect.isReportedInParts || isPossible else { return nil }
    }

    /// Whether the interface has the field and allows the value in it.
    private var isPossible: Bool {
        switch aspect.values(of: field) {
        case .words(let words, let orNull): return words.contains(value) || orNull && value == Self.none
        case .level: return value == Self.none || Double(value).map { 0...1 ~= $0 } == true
        case .flag: return [Self.none, "true", "false"].contains(value)
        case .number: return value == Self.none || Double(value)?.isFinite == true
        case .bool: return ["true", "false"].contains(value)
        case .text, .list: return true
        case .other, nil: return false
        }
    }

    /// The text for a value that the device does not know.
    private static let none = "unknown"

    func holds(for event: Event) -> Bool {
        if aspect.isReportedInParts {
            return event.parts.contains { $0.name == field && (value.isEmpty || $0.words.contains(value)) }
        }
        let found = Self.value(of: field, in: event)
        guard aspect.values(of: field)?.isNumber == true, let expected = Double(value), let number = found.numberValue
        else {
            return Self.text(found) == value
        }
        // The level is the mean of all packs, and lux are products.
        return abs(number - expected) < 1e-9 * max(1, abs(expected))
    }

    private static func value(of field: String, in event: Event) -> JSON {
        ReadingCoding.encode(event.reading, settings: event.settings).objectValue?[field] ?? .null
    }

    private static func text(_ value: JSON) -> String {
        if let text = value.stringValue { return text }
        if let list = value.arrayValue { return list.map(text).joined(separator: ",") }
        return value == .null ? none : value.description
    }

    func found(in event: Event) -> String {
        guard aspect.isReportedInParts else { return "\(field) \(Self.text(Self.value(of: field, in: event)))" }
        let parts = event.parts.map { ([$0.name] + $0.words).joined(separator: " ") }
        return (parts.isEmpty ? "none" : parts.joined(separator: "; ")) + ","
    }
}

extension Event {
    /// The listed parts of the state: the domains of settings with their keys, or folders with their differences.
    fileprivate var parts: [(name: String, words: [String])] {
        settings.map { ($0.domain, $0.keys) } + (reading.folders?.folders ?? []).map { ($0.name, $0.words) }
    }
}
