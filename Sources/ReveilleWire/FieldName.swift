// SPDX-License-Identifier: Apache-2.0

import Varlink

@usableFromInline
package struct FieldName: Sendable, ExpressibleByStringLiteral {
    let name: StaticString
    /// The name, for comparisons.
    let shortName: ShortText
    /// The text of the field before its value, such as `,"state":`.
    let text: ShortText

    /// Creates a name without characters that JSON escapes.
    @usableFromInline
    @inline(__always)
    package init(stringLiteral name: StaticString) {
        self.name = name
        shortName = ShortText(name)
        text = shortName.member
    }
}

extension FieldName: CustomStringConvertible {
    @usableFromInline package var description: String { "\(name)" }
}

extension FieldName {
    static let answer: Self = "answer"
    static let answers: Self = "answers"
    static let aspect: Self = "aspect"
    static let aspects: Self = "aspects"
    static let at: Self = "at"
    static let background: Self = "background"
    static let calendar: Self = "calendar"
    static let cancelled: Self = "cancelled"
    static let capabilities: Self = "capabilities"
    static let capability: Self = "capability"
    static let changedAt: Self = "changedAt"
    static let changes: Self = "changes"
    static let chassis: Self = "chassis"
    static let day: Self = "day"
    static let defaults: Self = "defaults"
    static let dropped: Self = "dropped"
    static let ended: Self = "ended"
    static let entries: Self = "entries"
    static let entry: Self = "entry"
    static let events: Self = "events"
    static let every: Self = "every"
    static let expiring: Self = "expiring"
    static let fired: Self = "fired"
    static let firstChangedAt: Self = "firstChangedAt"
    static let frequency: Self = "frequency"
    static let generation: Self = "generation"
    static let grace: Self = "grace"
    static let held: Self = "held"
    static let hour: Self = "hour"
    static let id: Self = "id"
    static let identifier: Self = "identifier"
    static let ifMissed: Self = "ifMissed"
    static let initial: Self = "initial"
    static let instance: Self = "instance"
    static let interval: Self = "interval"
    static let kernel: Self = "kernel"
    static let launch: Self = "launch"
    static let lifecycle: Self = "lifecycle"
    static let limit: Self = "limit"
    static let memory: Self = "memory"
    static let minute: Self = "minute"
    static let model: Self = "model"
    static let monitored: Self = "monitored"
    static let month: Self = "month"
    static let name: Self = "name"
    static let netChange: Self = "netChange"
    static let netChangeOnly: Self = "netChangeOnly"
    static let next: Self = "next"
    static let pending: Self = "pending"
    static let pid: Self = "pid"
    static let policies: Self = "policies"
    static let processors: Self = "processors"
    static let reason: Self = "reason"
    static let remaining: Self = "remaining"
    static let resume: Self = "resume"
    static let resumed: Self = "resumed"
    static let second: Self = "second"
    static let sequence: Self = "sequence"
    static let source: Self = "source"
    static let state: Self = "state"
    static let subscription: Self = "subscription"
    static let subscriptions: Self = "subscriptions"
    static let system: Self = "system"
    static let systemVersion: Self = "systemVersion"
    static let tasks: Self = "tasks"
    static let uid: Self = "uid"
    static let until: Self = "until"
    static let value: Self = "value"
    static let vendor: Self = "vendor"
    static let wakeAfter: Self = "wakeAfter"
    static let weekday: Self = "weekday"
    static let whileConnected: Self = "whileConnected"
    static let zone: Self = "zone"
}
