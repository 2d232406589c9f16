// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// The power supplies that a watcher has found, until they must be found again.
struct FoundSupplies {
    typealias Read = (supplies: [PowerSupply], isMacBook: Bool)

    /// The subsystems whose events show that supplies have changed.
    static let subsystems: Set<String> = ["power_supply", "typec"]

    private let attributes: [String]
    private var found: PowerSupplies?

    /// Creates supplies that have not been found; the given attributes may be read.
    init(attributes: [String]) {
        self.attributes = attributes
    }

    /// Whether a supply may change without an event; true if the supplies must be found.
    var mayDrift: Bool { found?.mayDrift ?? true }

    mutating func forget() {
        found = nil
    }

    /// Notes changed devices, which may be new or have other attributes.
    mutating func note(_ changes: DeviceFeed.Changes) {
        if changes.isStructural || found?.contains(changes.changed) != true { found = nil }
        found?.listAttributes(of: changes.changed)
    }

    /// Reads the supplies, and finds them if they are unknown or lack the needed values.
    ///
    /// - Parameters:
    ///   - extent: The attributes to read.
    ///   - isKept: Whether to keep the supplies: without events, the next call must find new ones.
    ///   - isComplete: Returns whether the known supplies still have the needed values.
    /// - Returns: All supplies.
    /// - Throws: `SystemError` if udev is unavailable.
    mutating func read(
        _ extent: PowerSupplies.Extent, isKept: Bool, isComplete: (Read) -> Bool = { _ in true }
    ) throws(SystemError) -> Read {
        if let isMacBook = found?.isMacBook, let supplies = found?.read(extent), isComplete((supplies, isMacBook)) {
            return (supplies, isMacBook)
        }
        var present = try PowerSupplies(attributes: attributes)
        let read = present.read(extent)
        found = isKept ? present : nil
        // A supply that disappears before it is read does not exist.
        return (read ?? [], present.isMacBook)
    }
}

extension SourceDescription {
    /// Describes the packs among supplies, and the others that match.
    init(packsOf supplies: [PowerSupply], and others: (PowerSupply) -> Bool = { _ in false }) {
        let packs = supplies.filter(\.isPack)
        guard !packs.isEmpty else {
            self = .unavailable("no battery in /sys/class/power_supply")
            return
        }
        self = .available((packs + supplies.filter(others)).map(\.name).joined(separator: ", "))
    }
}
