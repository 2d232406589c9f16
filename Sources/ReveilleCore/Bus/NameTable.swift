// SPDX-License-Identifier: Apache-2.0

/// The names on a bus.
struct NameTable: Sendable {
    /// The log of each name that was published, or that a subscription gave.
    var logs: [Aspect: Int] = [:]
    /// The numbers of names that are not vacant, by user.
    var counts: [UInt32: NameCount] = [:]
    /// The slots of the subscriptions to each pattern.
    var slotsOfPattern: [Substring: [Int32]] = [:]
    /// Whether names were forgotten that a saved state may contain, with lower generations than they would get now.
    var hasForgottenNames = false
}

extension Bus {
    package var hasForgottenNames: Bool {
        get { nameTable.hasForgottenNames }
        set { nameTable.hasForgottenNames = newValue }
    }
}
