// SPDX-License-Identifier: Apache-2.0

/// A reading as it is saved: whole, or as a digest that recognizes an equal reading.
package enum KeptReading: Sendable, Hashable {
    case whole(Reading)
    /// The digest of settings or folders that are too large to be written with each change.
    case digest(UInt64, of: Aspect)

    /// The largest ``Defaults/size`` and ``Folders/size`` of states that are saved whole.
    ///
    /// This allows about four thousand keys or two thousand files, more than most users have. Writing them takes a few
    /// milliseconds.
    package static let sizeLimit = 128 << 10

    package init(_ reading: Reading) {
        let size =
            switch reading {
            case .defaults(let settings): settings.size
            case .folders(let folders): folders.size
            default: 0
            }
        if size > Self.sizeLimit, let digest = reading.digest {
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

    /// The reading, if it was saved whole.
    package var reading: Reading? {
        if case .whole(let reading) = self { reading } else { nil }
    }
}

extension Defaults {
    /// The approximate size in a file, in bytes: all names, and a number for each key.
    package var size: Int {
        let number = 24
        return domains.reduce(0) { size, domain in
            domain.values.reduce(size + domain.path.utf8.count + domain.name.utf8.count) {
                $0 + $1.key.utf8.count + number
            }
        }
    }
}
