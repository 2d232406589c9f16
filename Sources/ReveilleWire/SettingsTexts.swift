// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

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
    private var texts: [Key: [UInt8]] = [:]

    mutating func text(of event: Event) -> [UInt8] {
        let key = Key(
            changes: event.changes, netChange: event.netChange, firstChangedAt: event.firstChangedAt,
            dropped: event.dropped)
        if event.generation == generation, let known = texts[key] { return known }
        let text = event.text
        if event.generation != generation || texts.count >= Self.limit || text.count > Self.largeSize {
            texts.removeAll(keepingCapacity: true)
            generation = event.generation
        }
        texts[key] = text
        return text
    }
}
