// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleSystem

enum EventText {
    /// The width of the column of aspects, with a gap, if all are aspects of the device.
    static let narrowestColumn = 12
    /// The widest column of aspects: the values of all events should remain visible beside one long name.
    private static let widestColumn = 42
    private static let gap = 2
    /// The least width of a truncated value: narrower values are unrecognizable.
    private static let shortestValue = 16

    static func column(for aspects: some Sequence<Aspect>) -> Int {
        aspects.reduce(narrowestColumn) { max($0, min($1.shownName.columns + gap, widestColumn)) }
    }

    /// Returns the line of an event: its aspect, its state, and remarks on merged changes.
    ///
    /// The value of a published name is truncated to a width if possible.
    static func line(_ event: Event, column: Int = narrowestColumn, width: Int? = nil) -> StyledText {
        let shown = event.aspect.shownName
        let name = Style.bold(StyledText(shown)).padded(to: max(column, shown.columns + gap))
        let remarks: StyledText = event.remarks.isEmpty ? "" : "  (\(event.remarks.joined(separator: ", ")))"
        var state = state(of: event).printable
        if let width, event.aspect.isPublished {
            state = state.truncated(to: max(shortestValue, width - name.width - remarks.width))
        }
        return name + StyledText(state) + Style.dim(remarks)
    }

    static func state(of event: Event) -> String {
        if FolderHint.concerns(event) { return FolderHint.text }
        guard let value = event.published, value.json == nil else {
            return event.aspect.rule(in: event.published?.bytes) ?? "\(event.reading)"
        }
        return event.changeCount == 0 ? "not published" : "withdrawn"
    }

    /// Returns the time of an event's last change, as the beginning of its line; without a date, `now` for a state.
    static func time(of event: Event, withDate: Bool) -> StyledText {
        let day = withDate ? LocalTime.date(event.changedAt) + " " : ""
        let time = event.changeCount == 0 && !withDate ? "now" : day + LocalTime.time(event.changedAt)
        return Style.dim(StyledText(time)).padded(to: withDate ? 21 : 10)
    }
}

/// How to configure folders, for users who ask for them while none is configured.
enum FolderHint {
    static let text = """
        no folders are configured; set folders in the configuration, as in { folders: { documents: "~/Documents" } }
        """

    /// Returns whether an event is the current state of folders, and lists none; even folders without names are listed.
    static func concerns(_ event: Event) -> Bool {
        event.changeCount == 0 && event.folders?.folders.isEmpty == true
    }

    static func print(for events: [Event]) {
        if events.contains(where: concerns) { Console.error("reveille: \(text)") }
    }

    static func print(for aspects: AspectSet, on device: Device) async throws {
        if aspects.contains(Aspect.folders) { print(for: try await device.getAll([.folders])) }
    }
}
