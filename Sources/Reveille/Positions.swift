// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// How far a subscriber has seen each aspect: what to store in order to go on from there later, in another process too.
public struct Positions: Sendable, Hashable, Codable {
    /// Names the bus that the generations are of; to another one they mean nothing.
    public internal(set) var instance: String
    /// The generation of the last event seen, by aspect.
    public internal(set) var generations: [Aspect: Int]

    private enum CodingKeys: String, CodingKey {
        case instance
        case generations
    }

    package init(instance: String, generations: [Aspect: Int]) {
        self.instance = instance
        self.generations = generations
    }

    /// Reads positions that were stored.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        instance = try container.decode(String.self, forKey: .instance)
        let words = try container.decode([String: Int].self, forKey: .generations)
        generations = Dictionary(
            words.compactMap { word, generation in Aspect(rawValue: word).map { ($0, generation) } },
            uniquingKeysWith: max)
    }

    /// Stores the positions: the instance, and a number for each aspect by its name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(instance, forKey: .instance)
        let words = Dictionary(uniqueKeysWithValues: generations.map { ($0.key.rawValue, $0.value) })
        try container.encode(words, forKey: .generations)
    }
}
