// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Aspects that keep sending generations that were seen long ago.
///
/// A duplicate or reordered message does so once, for a moment. A device whose generation was once exaggerated by a lie
/// does so for good, and its true states must not be ignored until it has caught up.
struct Suspects: Sendable {
    /// An aspect of a device, by its numbers in the ledger.
    struct Key: Hashable {
        let place: Int
        let aspect: SharedTexts.Index
    }

    private struct Suspect {
        /// The time of the first message.
        let time: Int64
        /// The time of the last message.
        var last: Int64
        var generation: Int64
        /// The number of messages, each of which was ahead of the one before.
        var count = 1
        /// Whether a message that was ahead of all others arrived in between.
        var isInterrupted = false
    }

    /// What an older generation means.
    enum Verdict {
        case duplicate
        /// The device continues there.
        case continuation
        /// Two devices count in turns.
        case secondSequence
    }

    /// The number of older messages, each ahead of the one before, that reordering does not cause over such a time.
    static let count = 2
    /// The same if newer messages came in between: each of the two may be a duplicate of its own.
    static let countInTurns = 3
    /// The seconds over which they arrive: many times what a queue takes to be delivered again.
    static let duration: Int64 = 600
    /// The seconds after which an older message has nothing to do with the one before it, if newer ones came in between:
    /// over months, most aspects of a large fleet have some duplicates.
    static let memory: Int64 = 3_600

    private var suspects: [Key: Suspect] = [:]

    /// Takes a message with an older generation.
    mutating func judge(_ generation: Int64, of key: Key, at now: Int64) -> Verdict {
        guard var suspect = suspects[key], !suspect.isInterrupted || now - suspect.last <= Self.memory else {
            suspects[key] = Suspect(time: now, last: now, generation: generation)
            return .duplicate
        }
        guard generation > suspect.generation else { return .duplicate }
        suspect.last = now
        suspect.generation = generation
        suspect.count += 1
        suspects[key] = suspect
        let count = suspect.isInterrupted ? Self.countInTurns : Self.count
        guard suspect.count >= count, now - suspect.time >= Self.duration else { return .duplicate }
        suspects[key] = nil
        return suspect.isInterrupted ? .secondSequence : .continuation
    }

    /// Takes note of a message that is not older.
    mutating func interrupt(_ key: Key) {
        guard !suspects.isEmpty else { return }
        suspects[key]?.isInterrupted = true
    }

    mutating func forget(_ key: Key) {
        guard !suspects.isEmpty else { return }
        suspects[key] = nil
    }
}
