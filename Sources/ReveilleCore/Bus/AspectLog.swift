// SPDX-License-Identifier: Apache-2.0

package struct Publisher: Sendable, Hashable {
    package var user: UInt32
    /// The connection whose end withdraws the state; `nil` for a state that stays.
    package var connection: UInt64?

    package init(user: UInt32, connection: UInt64? = nil) {
        self.user = user
        self.connection = connection
    }
}

/// An aspect on the bus: its changes, their origin, and the subscriptions that have seen them.
struct AspectLog {
    /// The origin of the state of an aspect of the device.
    struct Origin {
        /// The last reading of the aspect's own source.
        var own: Reading?
        var isPosted = false
        /// Whether a client has received the state.
        var wasReturned = false
        /// The digest of the saved state until the source is read: only then is it known whether the state is the same.
        var digest: UInt64?
    }

    let aspect: Aspect
    var changes: ChangeLog
    /// The chosen domains, for a part of the settings.
    var selection: DomainSelection?
    var origin = Origin()
    /// The last publisher of a name, until all subscriptions have seen its withdrawal; `nil` for other aspects.
    var publisher: Publisher?
    /// The entries that the next change affects; all others of the aspect are behind already.
    var listeners: [Int32] = []
    /// Changes up to this sequence can be of a state that was tied to a connection; `Int.max` while the state is tied.
    var tiedSequence = 0
    var entryCount = 0
    /// The number of subscriptions that gave the aspect's own name.
    var literalCount = 0

    /// Whether the aspect is a name that a program publishes now.
    var isLive: Bool { changes.current.reading.published?.bytes != nil }

    /// Whether the aspect has a state; a name has none while no program publishes it.
    var hasState: Bool { aspect.builtIn != nil || isLive }

    /// Whether the aspect is a name that is withdrawn when the connection of its publisher ends.
    var isTied: Bool { isLive && publisher?.connection != nil }

    /// Whether the aspect is a name that is not published and whose withdrawal all subscriptions have seen.
    ///
    /// A vacant name has no entries of patterns.
    var isVacant: Bool { isName && publisher == nil && !isLive }

    /// Whether the aspect is an unpublished name whose changes all subscriptions have taken.
    var isQuiet: Bool { isName && listeners.count == entryCount && !isLive }

    private var isName: Bool { aspect.builtIn == nil }

    var isStream: Bool { aspect.builtIn?.kind == .stream }

    /// Whether the state of an aspect that the bus provides is saved as an entry of its own.
    var isSaved: Bool {
        selection == nil && aspect.builtIn.map { $0.kind != .stream && !$0.isOfSubscription } ?? true
    }

    /// Adds a change, unless the reading is equal to a state that is known in full, and not an occurrence.
    mutating func append(_ reading: Reading, sequence: Int, at time: Timestamp, isPosted: Bool) -> Bool {
        guard origin.digest != nil || changes.current.reading != reading || reading.isOccurrence else { return false }
        origin.digest = nil
        changes.append(reading, sequence: sequence, at: time, isPosted: isPosted)
        return true
    }
}
