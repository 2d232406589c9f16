// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Varlink

/// The name of a field.
package struct FieldName: Sendable, ExpressibleByStringLiteral {
    /// The name.
    let name: StaticString
    /// The name, for comparisons.
    let shortName: ShortText
    /// The text of the field before its value, such as `,"state":`.
    let text: ShortText

    /// Creates a name, which contains no character that JSON escapes.
    package init(stringLiteral name: StaticString) {
        self.name = name
        shortName = ShortText("\(name)")
        text = ShortText(",\"\(name)\":")
    }
}

extension FieldName: CustomStringConvertible {
    /// The name.
    package var description: String { "\(name)" }
}

extension FieldName {
    static let acceleration: Self = "acceleration"
    static let added: Self = "added"
    static let addresses: Self = "addresses"
    static let answer: Self = "answer"
    static let answers: Self = "answers"
    static let aspect: Self = "aspect"
    static let aspects: Self = "aspects"
    static let background: Self = "background"
    static let battery: Self = "battery"
    static let brightness: Self = "brightness"
    static let capabilities: Self = "capabilities"
    static let capability: Self = "capability"
    static let changed: Self = "changed"
    static let changedAt: Self = "changedAt"
    static let changes: Self = "changes"
    static let chargeStatus: Self = "chargeStatus"
    static let chassis: Self = "chassis"
    static let cycles: Self = "cycles"
    static let defaults: Self = "defaults"
    static let display: Self = "display"
    static let domain: Self = "domain"
    static let domains: Self = "domains"
    static let dropped: Self = "dropped"
    static let energy: Self = "energy"
    static let energyFull: Self = "energyFull"
    static let energyFullDesign: Self = "energyFullDesign"
    static let events: Self = "events"
    static let firstChangedAt: Self = "firstChangedAt"
    static let folders: Self = "folders"
    static let frequency: Self = "frequency"
    static let from: Self = "from"
    static let generation: Self = "generation"
    static let health: Self = "health"
    static let height: Self = "height"
    static let heightMM: Self = "heightMM"
    static let held: Self = "held"
    static let identifier: Self = "identifier"
    static let initial: Self = "initial"
    static let instance: Self = "instance"
    static let interface: Self = "interface"
    static let interval: Self = "interval"
    static let kernel: Self = "kernel"
    static let keys: Self = "keys"
    static let kind: Self = "kind"
    static let languages: Self = "languages"
    static let level: Self = "level"
    static let lifecycle: Self = "lifecycle"
    static let light: Self = "light"
    static let limit: Self = "limit"
    static let locale: Self = "locale"
    static let lux: Self = "lux"
    static let measurement: Self = "measurement"
    static let memory: Self = "memory"
    static let model: Self = "model"
    static let monetary: Self = "monetary"
    static let monitored: Self = "monitored"
    static let motion: Self = "motion"
    static let name: Self = "name"
    static let netChange: Self = "netChange"
    static let netChangeOnly: Self = "netChangeOnly"
    static let network: Self = "network"
    static let numeric: Self = "numeric"
    static let opaque: Self = "opaque"
    static let orientation: Self = "orientation"
    static let packs: Self = "packs"
    static let path: Self = "path"
    static let peak: Self = "peak"
    static let pending: Self = "pending"
    static let pid: Self = "pid"
    static let planar: Self = "planar"
    static let plugged: Self = "plugged"
    static let policies: Self = "policies"
    static let pose: Self = "pose"
    static let power: Self = "power"
    static let processors: Self = "processors"
    static let proximity: Self = "proximity"
    static let reachable: Self = "reachable"
    static let reason: Self = "reason"
    static let removed: Self = "removed"
    static let renamed: Self = "renamed"
    static let rescan: Self = "rescan"
    static let resume: Self = "resume"
    static let resumed: Self = "resumed"
    static let rotation: Self = "rotation"
    static let scale: Self = "scale"
    static let screens: Self = "screens"
    static let sequence: Self = "sequence"
    static let shake: Self = "shake"
    static let source: Self = "source"
    static let state: Self = "state"
    static let subscription: Self = "subscription"
    static let subscriptions: Self = "subscriptions"
    static let system: Self = "system"
    static let systemVersion: Self = "systemVersion"
    static let takenAt: Self = "takenAt"
    static let technology: Self = "technology"
    static let temperature: Self = "temperature"
    static let time: Self = "time"
    static let timeToEmpty: Self = "timeToEmpty"
    static let timeToFull: Self = "timeToFull"
    static let to: Self = "to"
    static let uid: Self = "uid"
    static let value: Self = "value"
    static let vendor: Self = "vendor"
    static let voltage: Self = "voltage"
    static let wakeAfter: Self = "wakeAfter"
    static let whileConnected: Self = "whileConnected"
    static let width: Self = "width"
    static let widthMM: Self = "widthMM"
    static let x: Self = "x"
    static let y: Self = "y"
    static let z: Self = "z"
}
