// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// One change of an aspect: its reading from then on, until the next.
///
/// A subscription keeps the change that it last saw, shared with all others that saw it. That one
/// reference answers what an event has to say after any time: the reading tells whether the state
/// came back, the generation how many changes were merged, and ``supersededAt`` when the first of
/// them came. So posting costs nothing for those who sleep.
package final class Change {
    /// How many bytes of names a change may keep of the settings that it touched, once it is superseded.
    ///
    /// Far more than a program changes at once; a log of 256 such changes takes a megabyte.
    static let touchedLimit = 4 << 10

    /// Grows by one with each change of the aspect.
    package let generation: Int
    /// Grows by one with each change on the bus.
    package let sequence: Int
    /// When it changed.
    package let time: Timestamp
    /// The state from then on; of settings none once the change is superseded, since nobody is told it any more.
    package private(set) var reading: Reading
    /// What this change alone touched in the settings; empty for every other aspect, `nil` when it was too much to
    /// keep.
    private(set) var settings: [SettingsChange]?
    /// When the next change came; `nil` while this is the last.
    package private(set) var supersededAt: Timestamp?
    /// Stands for settings whose reading is gone.
    private var digest: UInt64?

    init(
        generation: Int, sequence: Int, time: Timestamp, reading: Reading, settings: [SettingsChange] = []
    ) {
        self.generation = generation
        self.sequence = sequence
        self.time = time
        self.reading = reading
        self.settings = settings
    }

    /// Takes a first reading in place of one that stood for none.
    func establish(_ reading: Reading) {
        self.reading = reading
        digest = nil
    }

    /// Ends the state, and keeps only what an event may still need.
    func supersede(at time: Timestamp) {
        supersededAt = time
        guard settingsDigest != nil else { return }
        reading = .unknown(reading.aspect)
        if let settings, SettingsChange.size(of: settings) > Self.touchedLimit { self.settings = nil }
    }

    /// Whether both led to the same state.
    func isSameState(as other: Change) -> Bool {
        if self === other { return true }
        guard let digest = settingsDigest else { return reading == other.reading }
        return digest == other.settingsDigest
    }

    /// The digest of settings, made once; `nil` for every other aspect.
    private var settingsDigest: UInt64? {
        if digest == nil { digest = reading.digest }
        return digest
    }
}

/// How far one subscriber has seen one aspect.
struct Cursor {
    /// The generation last seen.
    var generation: Int
    /// The change of that generation; `nil` when the log no longer knew it as the subscriber resumed.
    var change: Change?
}
