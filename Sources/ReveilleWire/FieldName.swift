// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Varlink

/// The name of a field.
struct FieldName: Sendable, ExpressibleByStringLiteral {
    /// The name.
    let name: StaticString
    /// The text of the field before its value, such as `,"state":`.
    let text: ShortText

    /// Creates a name, which contains no character that JSON escapes.
    init(stringLiteral name: StaticString) {
        self.name = name
        text = ShortText(",\"\(name)\":")
    }
}

extension FieldName {
    static let aspect: Self = "aspect"
    static let battery: Self = "battery"
    static let changedAt: Self = "changedAt"
    static let changes: Self = "changes"
    static let chargeStatus: Self = "chargeStatus"
    static let defaults: Self = "defaults"
    static let domain: Self = "domain"
    static let domains: Self = "domains"
    static let dropped: Self = "dropped"
    static let events: Self = "events"
    static let firstChangedAt: Self = "firstChangedAt"
    static let generation: Self = "generation"
    static let identifier: Self = "identifier"
    static let keys: Self = "keys"
    static let languages: Self = "languages"
    static let level: Self = "level"
    static let locale: Self = "locale"
    static let measurement: Self = "measurement"
    static let monetary: Self = "monetary"
    static let name: Self = "name"
    static let netChange: Self = "netChange"
    static let numeric: Self = "numeric"
    static let opaque: Self = "opaque"
    static let orientation: Self = "orientation"
    static let packs: Self = "packs"
    static let path: Self = "path"
    static let planar: Self = "planar"
    static let plugged: Self = "plugged"
    static let pose: Self = "pose"
    static let proximity: Self = "proximity"
    static let sequence: Self = "sequence"
    static let state: Self = "state"
    static let time: Self = "time"
    static let value: Self = "value"
}
