// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// The replies to GetState since the last change, by the aspects that were asked for: settings can be long.
struct StateReplies {
    /// The number of replies that are kept: as many different questions as programs ask at a time.
    static let limit = 64
    /// The total size in bytes of the replies that are kept, unless a single one is longer.
    static let sizeLimit = 1 << 20

    private var frames: [AspectSet: [UInt8]] = [:]
    private var size = 0

    /// The reply for some aspects, if it is kept.
    subscript(aspects: AspectSet) -> [UInt8]? { frames[aspects] }

    /// Keeps a reply, and discards all others if there is no room.
    mutating func keep(_ frame: [UInt8], for aspects: AspectSet) {
        if frames.count >= Self.limit || size + frame.count > Self.sizeLimit { discardAll() }
        frames[aspects] = frame
        size += frame.count
    }

    /// Discards all replies after a change.
    mutating func discardAll() {
        guard !frames.isEmpty else { return }
        frames = [:]
        size = 0
    }
}
