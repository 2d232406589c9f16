// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import Varlink

/// The file in which `reveille watch --state` stores its positions.
///
/// The format is the library's: `{"instance":"…","generations":{"battery":12}}`.
struct StoredPositions: Sendable {
    private let file: StateFile
    /// The positions that were last read or written, if any.
    private(set) var positions: Positions?

    /// Reads a file, which may be missing.
    ///
    /// - Throws: `Failure` if the file cannot be read or contains anything other than positions.
    init(_ path: String) throws(Failure) {
        file = StateFile(path, of: "watch")
        positions = try file.read(Self.decode)
    }

    /// Returns the positions of some aspects, and of the names that patterns among them match.
    func positions(of aspects: AspectSet) -> Positions? {
        positions.map { positions in
            Positions(
                instance: positions.instance,
                generations: positions.generations.filter { Self.isCovered($0.key, by: aspects) })
        }
    }

    /// Replaces the stored positions atomically.
    ///
    /// Positions of aspects that are not watched in this run are kept if they belong to the same instance. Those of names
    /// that were withdrawn are removed with the newer positions.
    mutating func save(_ newer: Positions, of aspects: AspectSet) throws(Failure) {
        var merged = newer
        if let positions, positions.instance == newer.instance {
            let others = positions.generations.filter { !Self.isCovered($0.key, by: aspects) }
            merged = Positions(instance: newer.instance, generations: others.merging(newer.generations) { $1 })
        }
        guard merged != positions else { return }
        try file.replace(with: Self.encode(merged))
        positions = merged
    }

    private static func isCovered(_ aspect: Aspect, by aspects: AspectSet) -> Bool {
        aspects.contains(aspect) || aspects.names.contains { $0.matches(aspect) }
    }

    private static func decode(_ object: JSONObject) -> Positions? {
        guard let instance = object["instance"]?.stringValue,
            let members = object["generations"]?.objectValue?.members
        else { return nil }
        var generations: [Aspect: Int] = [:]
        for member in members {
            guard let generation = member.value.integerValue, generation >= 0 else { return nil }
            // A file of a later version may contain unknown aspects.
            if let aspect = Aspect(member.name) { generations[aspect] = Int(generation) }
        }
        return Positions(instance: instance, generations: generations)
    }

    private static func encode(_ positions: Positions) -> JSONObject {
        let members = positions.generations.sorted { $0.key < $1.key }.map { aspect, generation in
            JSONObject.Member(name: aspect.name, value: .integer(Int64(generation)))
        }
        return ["instance": .string(positions.instance), "generations": .object(JSONObject(members: members))]
    }
}
