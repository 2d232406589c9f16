// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// Events and states as a line for people.
enum EventText {
    /// A line of an event: the aspect, its state, and what was merged into it.
    static func line(_ event: Event) -> String {
        let aspect = padded(event.aspect.rawValue, to: 12)
        return Style.bold(aspect) + state(event) + Style.dim(merged(event))
    }

    /// The state that an event tells, in words.
    static func state(_ event: Event) -> String {
        switch event.reading {
        case .locale(let locale): text(locale)
        case .defaults: settings(event.settings)
        case .battery(let battery): text(battery)
        case .proximity(let proximity): proximity.rawValue
        case .orientation(let orientation): text(orientation)
        }
    }

    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func merged(_ event: Event) -> String {
        var parts: [String] = []
        if event.changes > 1 { parts.append("\(event.changes) changes") }
        if event.changes > 0 && !event.netChange { parts.append("back where it was") }
        if event.dropped > 0 { parts.append("\(event.dropped) dropped") }
        return parts.isEmpty ? "" : "  (" + parts.joined(separator: ", ") + ")"
    }

    private static func text(_ battery: Battery) -> String {
        var parts = [battery.state.rawValue]
        if let level = battery.level { parts.append(percent(level)) }
        if battery.packs.count > 1 {
            parts.append(
                battery.packs.map { $0.name + " " + ($0.level.map(percent) ?? "?") }.joined(separator: ", "))
        }
        if battery.chargeStatus == .notCharging { parts.append("not charging") }
        return parts.joined(separator: ", ")
    }

    private static func percent(_ level: Double) -> String {
        "\(Int((level * 100).rounded())) %"
    }

    private static func text(_ orientation: Orientation) -> String {
        guard let planar = orientation.planar, planar != orientation.pose else { return orientation.pose.rawValue }
        return orientation.pose.rawValue + ", last upright " + planar.rawValue
    }

    private static func text(_ locale: LocaleSettings) -> String {
        var parts = [locale.identifier]
        let formats = [
            ("numbers", locale.numeric), ("time", locale.time), ("money", locale.monetary),
            ("measures", locale.measurement),
        ]
        parts += formats.filter { $0.1 != locale.identifier }.map { "\($0.0) \($0.1)" }
        if locale.languages.count > 1 { parts.append("languages " + locale.languages.joined(separator: " ")) }
        return parts.joined(separator: ", ")
    }

    private static func settings(_ changes: [SettingsChange]) -> String {
        guard !changes.isEmpty else { return "no settings" }
        return changes.map { change in
            if change.isOpaque { return change.domain + " (opaque)" }
            let shown = change.keys.prefix(4).joined(separator: " ")
            let more = change.keys.count > 4 ? " and \(change.keys.count - 4) more" : ""
            return change.keys.isEmpty ? change.domain : "\(change.domain): \(shown)\(more)"
        }.joined(separator: "; ")
    }
}
