// SPDX-License-Identifier: Apache-2.0

/// The last event of each aspect that a subscriber has seen: store the positions to resume later, in any process.
///
/// ```swift
/// let data = try JSONEncoder().encode(subscription.positions)
/// let positions = try JSONDecoder().decode(Positions?.self, from: data)
/// let next = try await device.subscribe(to: [.battery], options: SubscriptionOptions(resume: positions))
/// ```
public struct Positions: Sendable, Hashable, Codable {
    /// The instance of the bus that the generations belong to; they are meaningless to another.
    public package(set) var instance: String
    /// The generation of the last event seen, by aspect.
    public package(set) var generations: [Aspect: Int]
    /// The domains of the settings whose changes the generation of `defaults` counts; `nil` for all.
    package var domains: [String]?

    private enum CodingKeys: String, CodingKey {
        case instance
        case generations
        case domains
    }

    package init(instance: String, generations: [Aspect: Int], domains: [String]? = nil) {
        self.instance = instance
        self.generations = generations
        self.domains = domains
    }

    /// Returns the generations for a subscription that chooses domains; those of other domains are of no use to it.
    package func generations(for domains: [String]?) -> [Aspect: Int] {
        guard domains != self.domains, generations[.defaults] != nil else { return generations }
        return generations.merging([.defaults: 0]) { $1 }
    }

    /// Decodes positions; unknown aspects are ignored.
    ///
    /// - Throws: `DecodingError` if the instance or the generations are missing, or of another type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        instance = try container.decode(String.self, forKey: .instance)
        let words = try container.decode([String: Int].self, forKey: .generations)
        generations = Dictionary(
            words.compactMap { word, generation in Aspect(word).map { ($0, generation) } },
            uniquingKeysWith: max)
        domains = try container.decodeIfPresent([String].self, forKey: .domains)
    }

    /// Encodes the instance, and the generation of each aspect by the aspect's name.
    ///
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(instance, forKey: .instance)
        let words = Dictionary(uniqueKeysWithValues: generations.map { ($0.key.name, $0.value) })
        try container.encode(words, forKey: .generations)
        try container.encodeIfPresent(domains, forKey: .domains)
    }
}
