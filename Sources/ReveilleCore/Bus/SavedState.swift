// SPDX-License-Identifier: Apache-2.0

/// The state from which a bus continues after a restart.
package struct SavedState: Sendable, Hashable {
    /// The last change of an aspect.
    package struct Entry: Sendable, Hashable {
        package var generation: Int
        package var sequence: Int
        package var changedAt: Timestamp
        package var state: KeptReading
        package var isPosted: Bool
        /// The last reading of the aspect's own source, for a posted state; `nil` if it was never read or is too large.
        package var ownReading: Reading?
        /// The publisher of a name; `nil` if the name is not published now.
        package var publisher: Publisher?
        /// The first generation in the log of a name; `nil` if it is unknown.
        package var start: Int?
        /// Earlier generations with the same state, as far as known, for subscribers who have seen them.
        package var equal: [Int]

        package init(
            generation: Int, sequence: Int, changedAt: Timestamp, state: KeptReading, isPosted: Bool = false,
            ownReading: Reading? = nil, publisher: Publisher? = nil, start: Int? = nil,
            equal: [Int] = []
        ) {
            self.generation = generation
            self.sequence = sequence
            self.changedAt = changedAt
            self.state = state
            self.isPosted = isPosted
            self.ownReading = ownReading
            self.publisher = publisher
            self.start = start
            self.equal = equal
        }
    }

    /// The last change of chosen domains of the settings.
    package struct Selection: Sendable, Hashable {
        package var user: UInt32
        package var selection: DomainSelection
        package var generation: Int
        package var sequence: Int
        package var changedAt: Timestamp
        /// The first generation in the log.
        package var start: Int
        /// Earlier generations with the same state, as for an aspect.
        package var equal: [Int]
        /// The digest of the domains, if only the digest of all settings is saved.
        package var digest: UInt64?

        package init(
            user: UInt32, selection: DomainSelection, generation: Int, sequence: Int, changedAt: Timestamp, start: Int,
            equal: [Int] = [], digest: UInt64? = nil
        ) {
            self.user = user
            self.selection = selection
            self.generation = generation
            self.sequence = sequence
            self.changedAt = changedAt
            self.start = start
            self.equal = equal
            self.digest = digest
        }
    }

    package var instance: String
    package var sequence: Int
    /// The aspects that were read or posted.
    package var entries: [Entry]
    /// The chosen domains whose changes are counted, the one that was not used for the longest time first.
    package var selections: [Selection]
    package var firings: Int
    /// The time in microseconds that the machine had slept since boot, as far as it was reported; `nil` if unknown.
    package var timeAsleep: UInt64?

    package init(
        instance: String, sequence: Int = 0, entries: [Entry] = [], selections: [Selection] = [], firings: Int = 0,
        timeAsleep: UInt64? = nil
    ) {
        self.instance = instance
        self.sequence = sequence
        self.entries = entries
        self.selections = selections
        self.firings = firings
        self.timeAsleep = timeAsleep
    }

    /// Adds firings that followed the state in their order, with no other change in between.
    ///
    /// Firings of other instances, and firings that the state already contains, have no effect.
    package mutating func replay(_ firings: [Firing]) {
        for firing in firings where firing.instance == instance && firing.number > self.firings {
            let known = entries.firstIndex { $0.state.aspect == firing.value.name }
            let entry = Entry(
                generation: firing.before + firing.times, sequence: firing.sequence, changedAt: firing.time,
                state: .whole(.published(firing.value)), isPosted: false, publisher: Publisher(user: firing.user),
                start: known.flatMap { entries[$0].start } ?? firing.before)
            if let known { entries[known] = entry } else { entries.append(entry) }
            sequence = max(sequence + firing.times, firing.sequence, entry.generation)
            self.firings = firing.number
        }
    }
}

/// A reading as it is saved: whole, or as a digest that recognizes an equal reading.
package enum KeptReading: Sendable, Hashable {
    case whole(Reading)
    /// The digest of settings or folders that are too large to be written with each change.
    case digest(UInt64, of: Aspect)

    /// The largest ``Defaults/size`` and ``Folders/size`` of states that are saved whole.
    ///
    /// About four thousand keys or two thousand files, more than most users have; written in a few milliseconds.
    package static let sizeLimit = 128 << 10

    static func isTooLarge(_ reading: Reading) -> Bool {
        let size =
            switch reading {
            case .defaults(let settings): settings.size
            case .folders(let folders): folders.size
            default: 0
            }
        return size > sizeLimit
    }

    package init(_ reading: Reading) {
        if Self.isTooLarge(reading), let digest = reading.digest {
            self = .digest(digest, of: reading.aspect)
        } else {
            self = .whole(reading)
        }
    }

    package var aspect: Aspect {
        switch self {
        case .whole(let reading): reading.aspect
        case .digest(_, let aspect): aspect
        }
    }

    package var reading: Reading? {
        if case .whole(let reading) = self { reading } else { nil }
    }
}

extension Defaults {
    /// The approximate size in a file, in bytes: all names, the words for each domain, and a number for each key.
    package var size: Int {
        let (words, number) = (50, 24)
        return domains.reduce(0) { size, domain in
            domain.values.reduce(size + words + domain.path.utf8.count + domain.name.utf8.count) {
                $0 + $1.key.utf8.count + number
            }
        }
    }
}
