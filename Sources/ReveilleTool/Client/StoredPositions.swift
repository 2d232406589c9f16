// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import Varlink

/// The file in which `reveille watch --state` stores its positions.
///
/// The format is the library's: `{"instance":"…","generations":{"battery":12}}`.
struct StoredPositions: Sendable {
    private let file: StateFile
    /// The positions of unwatched aspects that the file contained at the start.
    private let others: Positions?
    /// The positions of watched aspects that were last read or written, if any.
    private(set) var positions: Positions?

    /// Reads a file, which may be missing.
    init(_ path: String, watching aspects: AspectSet) throws(Failure) {
        file = StateFile(path, of: "watch")
        let stored: Positions? = try file.read { $0.generations.values.allSatisfy { $0 >= 0 } }
        positions = stored?.filtered { aspects.covers($0) }
        others = stored?.filtered { !aspects.covers($0) }
    }

    /// Replaces the stored positions of the watched aspects atomically.
    ///
    /// The positions of other aspects are kept if they belong to the same instance.
    mutating func save(_ newer: Positions) throws(Failure) {
        guard newer != positions else { return }
        var all = newer
        if let others, others.instance == newer.instance {
            all = Positions(
                instance: newer.instance, generations: others.generations.merging(newer.generations) { $1 })
        }
        try file.replace(with: Self.encode(all))
        positions = newer
    }

    private static func encode(_ positions: Positions) -> JSON {
        let members = positions.generations.sorted { $0.key < $1.key }.map { aspect, generation in
            JSONObject.Member(name: aspect.name, value: .integer(Int64(generation)))
        }
        return ["instance": .string(positions.instance), "generations": .object(JSONObject(members: members))]
    }
}

extension Positions {
    fileprivate func filtered(_ isIncluded: (Aspect) -> Bool) -> Positions {
        Positions(instance: instance, generations: generations.filter { isIncluded($0.key) })
    }
}
