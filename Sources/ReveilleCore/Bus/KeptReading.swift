// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What is kept of a reading over a restart: all of it, or enough to know it again.
package enum KeptReading: Sendable, Hashable {
    /// All of it.
    case whole(Reading)
    /// A digest of settings that are too large to be written again with each change.
    case digest(UInt64, of: Aspect)

    /// How large settings are that are kept whole, in bytes as ``Defaults/size`` counts them.
    ///
    /// Some four thousand keys, more than most users have, take a few milliseconds to write.
    package static let sizeLimit = 128 << 10

    /// Keeps a reading, whole unless it is too large.
    package init(_ reading: Reading) {
        if let settings = reading.defaults, settings.size > Self.sizeLimit {
            self = .digest(settings.digest, of: reading.aspect)
        } else {
            self = .whole(reading)
        }
    }

    /// What it is of.
    package var aspect: Aspect {
        switch self {
        case .whole(let reading): reading.aspect
        case .digest(_, let aspect): aspect
        }
    }

    /// The reading, if all of it was kept.
    package var reading: Reading? {
        if case .whole(let reading) = self { reading } else { nil }
    }
}

extension Defaults {
    /// How much there is to write down: the bytes of all names, and of a number for each key.
    package var size: Int {
        let number = 24
        return domains.reduce(0) { size, domain in
            domain.values.reduce(size + domain.path.utf8.count + domain.name.utf8.count) {
                $0 + $1.key.utf8.count + number
            }
        }
    }
}
