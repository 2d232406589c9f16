// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a ledger keeps of a device: its status, and the positions of its aspects.
struct DeviceRecord: Sendable {
    /// The position of one aspect.
    struct Aspect: Sendable {
        var name: SharedTexts.Index
        /// The bus of the last state; none if no valid state has arrived.
        var instance = SharedTexts.none
        var generation: Int64 = 0
        /// The bus before, and its last state.
        var previousInstance = SharedTexts.none
        /// The connection in which the last message arrived, or ``absent``.
        var connection: UInt32 = 0
        var previousGeneration: Int64 = 0

        /// Stands for a connection if the broker no longer had the state, so that its removal was reported.
        ///
        /// The position remains: a broker that has lost its memory receives the state again, and the reader then knows
        /// the number of changes.
        static let absent = UInt32.max

        var isAbsent: Bool { connection == Self.absent }
    }

    /// The last status.
    struct Status: Sendable {
        var isOnline: Bool
        var reason: StatusMessage.Reason?
        /// The seconds between two wakes, or -1.
        var wakeEvery: Int64 = -1
        /// The time at which the broker received it, in seconds of the reader's clock; the least number if it is unknown.
        var time = Int64.min
    }

    let device: DeviceID
    var aspects: ContiguousArray<Aspect> = []
    var status: Status?
    /// The time of the last message that was not a retained one, in seconds of the reader's clock.
    var heard = Int64.min
    /// The texts of the last status that had them.
    var instance = SharedTexts.none
    var listed = SharedTexts.none
    var version = SharedTexts.none
    /// The bus that the device uses according to its newest message, and the one before.
    var bus = SharedTexts.none
    var previousBus = SharedTexts.none
    /// The connection in which the last status arrived.
    var statusConnection: UInt32 = 0

    init(_ device: DeviceID) { self.device = device }

    /// Whether the broker had anything of the device when it was last asked.
    var isPresent: Bool { status != nil || aspects.contains { !$0.isAbsent } }
}
