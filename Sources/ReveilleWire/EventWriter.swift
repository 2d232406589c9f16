// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import Varlink

/// Writes replies with events; subscribers that receive equal events one after the other share the bytes.
///
/// For most events, writing costs less than a search among earlier events. Settings can be long, so their texts are
/// kept.
package struct EventWriter {
    /// The size in bytes of the longest reply whose memory is used again: more than most events of one aspect need.
    private static let keptSize = 4_096

    /// The size in bytes of most events.
    private static let eventSize = 512

    /// The last reply with a sole event; most subscribers in the foreground share it.
    private var lastSole: SoleEvent.Identity?
    private var soleFrame: [UInt8] = []
    /// The last reply with other events; subscribers that slept equally long share it.
    private var lastList: (events: [Event], frame: [UInt8])?
    private var settings = SettingsTexts()
    /// The texts of the device's states since their last change, by the index of the aspect; settings can be long.
    package var states = [[UInt8]?](repeating: nil, count: BuiltInAspect.allCases.count)

    package init() {}

    package mutating func frame(_ events: [Event]) -> [UInt8] {
        if let lastList, lastList.events.isSame(as: events) { return lastList.frame }
        let frame = Reply.encode(room: room(for: events), continues: true) { output in
            output.append(byte: UInt8(ascii: "{"))
            append(events, to: &output)
        }
        lastList = (events, frame)
        return frame
    }

    /// Returns a whole reply of a stream with a sole event of the same bus; its subscribers share the bytes.
    package mutating func frame(of sole: SoleEvent, _ event: () -> Event) -> [UInt8] {
        guard lastSole != sole.identity else { return soleFrame }
        lastSole = sole.identity
        let event = event()
        var memory: [UInt8] = []
        if soleFrame.capacity <= Self.keptSize { swap(&memory, &soleFrame) }
        soleFrame = event.settings.isEmpty ? Self.frame(of: event, reusing: memory) : frame([event])
        return soleFrame
    }

    package mutating func text(of event: Event) -> [UInt8] {
        event.settings.isEmpty ? event.text : settings.text(of: event)
    }

    // MARK: - Lists

    private static let start = ShortText(#""events":["#)
    private static let end = ShortText("]}")

    /// A reply of a stream, without a search for a shared reply.
    private static func frame(of event: Event, reusing memory: consuming [UInt8]) -> [UInt8] {
        let room = eventSize + (event.reading.published?.bytes?.count ?? 0)
        return Reply.encode(reusing: memory, room: room, continues: true) { output in
            output.append(byte: UInt8(ascii: "{"))
            output.append(start)
            output.append(event)
            output.append(end)
        }
    }

    /// The room for events of usual length, and for the settings and values of others.
    private mutating func room(for events: [Event]) -> Int {
        events.reduce(Self.eventSize) { room, event in
            let size = event.settings.isEmpty ? event.reading.published?.bytes?.count : settings.text(of: event).count
            return room + Self.eventSize + (size ?? 0)
        }
    }

    private mutating func append(_ events: [Event], to output: inout OutputSpan<UInt8>) {
        output.append(Self.start)
        for (index, event) in events.enumerated() {
            if index > 0 { output.append(byte: UInt8(ascii: ",")) }
            if event.settings.isEmpty {
                output.append(event)
            } else {
                output.append(bytes: settings.text(of: event).span)
            }
        }
        output.append(Self.end)
    }
}

extension [Event] {
    /// Returns whether these are the same events of the same bus, without comparing states.
    fileprivate func isSame(as others: [Event]) -> Bool {
        guard count == others.count else { return false }
        for index in indices {
            guard self[index].generation == others[index].generation,
                self[index].changeCount == others[index].changeCount,
                self[index].isNetChange == others[index].isNetChange,
                self[index].firstChangedAt == others[index].firstChangedAt,
                self[index].droppedCount == others[index].droppedCount, self[index].aspect == others[index].aspect,
                // Two subscriptions can differ in their domains, and in whether they know the battery's supply.
                self[index].settings == others[index].settings,
                self[index].battery?.supply == others[index].battery?.supply
            else { return false }
        }
        // The events of two subscriptions can differ in nothing else. A lifecycle is the first event.
        return first?.reading.lifecycle == others.first?.reading.lifecycle
    }
}

/// The texts of some events of the latest settings.
struct SettingsTexts {
    /// The number of different events that are kept.
    ///
    /// Subscribers that slept since different generations get different events. Beyond this number, writing an event
    /// again costs less than keeping all texts.
    private static let limit = 64

    /// The size in bytes above which a text is kept alone.
    private static let largeSize = 16_384

    private struct Key: Hashable {
        let changes: Int
        let netChange: Bool
        let firstChangedAt: Timestamp
        let dropped: Int
    }

    private var generation = -1
    private var texts: [Key: (settings: [SettingsChange], text: [UInt8])] = [:]

    mutating func text(of event: Event) -> [UInt8] {
        let key = Key(
            changes: event.changeCount, netChange: event.isNetChange, firstChangedAt: event.firstChangedAt,
            dropped: event.droppedCount)
        // The same key can belong to other domains.
        if event.generation == generation, let known = texts[key], known.settings == event.settings {
            return known.text
        }
        let text = event.text
        if event.generation != generation || texts.count >= Self.limit || text.count > Self.largeSize {
            texts.removeAll(keepingCapacity: true)
            generation = event.generation
        }
        texts[key] = (event.settings, text)
        return text
    }
}
