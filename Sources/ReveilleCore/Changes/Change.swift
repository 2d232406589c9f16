// SPDX-License-Identifier: Apache-2.0

/// A change of an aspect, and the state until the next one.
///
/// A subscription holds the change that it last saw, shared with all others that saw it. This is all that an event
/// needs at any later time: the reading shows whether the state changed back, the generation how many changes were
/// merged, and ``supersededAt`` when the first of them occurred. So a change costs nothing for held subscriptions.
final class Change {
    /// The largest size in bytes of the names in ``parts`` that a superseded change keeps.
    ///
    /// This is far more than a program changes at once; a log of 256 such changes takes a megabyte.
    static let touchedLimit = 4 << 10

    /// The number of changes of the aspect up to this one.
    let generation: Int
    /// The number of changes on the bus up to this one.
    let sequence: Int
    let time: Timestamp
    /// The state since the change; unknown for superseded settings, folders and old values, which are no longer needed.
    private(set) var reading: Reading
    /// The parts affected by this change; `nil` for other aspects, and if they were not saved or too many to keep.
    private(set) var parts: ChangedParts?
    /// The time of the next change; `nil` for the last change.
    private(set) var supersededAt: Timestamp?
    /// The size of a published value in bytes; 0 for other aspects.
    let size: Int
    /// The digest of settings or folders, and of a value that was dropped.
    private var digest: UInt64?

    /// Whether the change is still known; otherwise, only its generation is known.
    let isKnown: Bool
    /// The generation of the last firing up to this change, or 0; a firing is a change even of an equal state.
    let lastFiring: Int

    init(
        generation: Int, sequence: Int, time: Timestamp, reading: Reading, parts: ChangedParts? = nil,
        isKnown: Bool = true, lastFiring: Int = 0
    ) {
        self.isKnown = isKnown
        self.lastFiring = lastFiring
        self.generation = generation
        self.sequence = sequence
        self.time = time
        self.reading = reading
        self.parts = parts
        if case .published(let value) = reading { size = value.bytes?.count ?? 0 } else { size = 0 }
    }

    /// Replaces the unknown reading with the first reading.
    func establish(_ reading: Reading) {
        self.reading = reading
        digest = nil
    }

    /// Ends the state, and drops the parts that events no longer need.
    func supersede(at time: Timestamp) {
        supersededAt = time
        guard knownDigest != nil else { return }
        reading = .unknown(reading.aspect)
        if let parts, parts.size > Self.touchedLimit { self.parts = nil }
    }

    /// Replaces a published value by its digest, when no log keeps the change but subscriptions still refer to it.
    ///
    /// Otherwise, a thousand sleeping subscribers could each keep another value of each of a thousand names.
    func dropValue() {
        guard let bytes = reading.published?.bytes else { return }
        digest = Digest(of: bytes).value
        reading = .unknown(reading.aspect)
    }

    /// Whether the change is known to have left its name unpublished.
    var isUnpublished: Bool { isKnown && digest == nil && reading.published.map { $0.bytes == nil } == true }

    /// Returns whether this change led to the same state as a change that a log keeps, for a client that may not know the
    /// battery's supply.
    func isSameState(as other: Change, omitsSupply: Bool = false) -> Bool {
        if self === other { return true }
        guard isKnown, other.lastFiring <= generation else { return false }
        // Two equal occurrences are still two.
        guard let digest = knownDigest else {
            let isEqual = omitsSupply ? reading.withoutSupply == other.reading.withoutSupply : reading == other.reading
            return isEqual && !reading.isOccurrence
        }
        return digest == other.knownDigest ?? other.reading.published?.bytes.map { Digest(of: $0).value }
    }

    /// The digest of settings or folders, computed once, or of a dropped value; `nil` for other readings.
    private var knownDigest: UInt64? {
        if digest == nil { digest = reading.digest }
        return digest
    }
}
