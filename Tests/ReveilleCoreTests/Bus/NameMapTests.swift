// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Testing

@testable import ReveilleCore

@Suite struct NameMapTests {
    /// Names that differ in their first, last or middle words, deep names, and words that begin with each kind of byte.
    private static let aspects: [Aspect] = {
        let words = ["-", "0", "9", "A", "Z", "_", "a", "ab", "a-b", "z", String(repeating: "long-", count: 10)]
        let stems = words.flatMap { first in words.map { "\(first).\($0)" } } + (1..<120).map { deep($0) }
        return stems.flatMap { [$0, $0 + ".a", $0 + ".-", $0 + ".*"] }.map { Aspect(stringLiteral: $0) }
    }()

    private static func deep(_ words: Int) -> String { (0...words).map { _ in "w" }.joined(separator: ".") }

    @Test("whatever is added and removed, each pattern finds the names below it, once and in order")
    func patternsFindTheirNames() {
        for seed in 0..<20 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var map = NameMap<Aspect>()
            var naive: Set<Aspect> = []
            for step in 0..<3_000 {
                let aspect = Self.aspects[Int(random.next() % UInt64(Self.aspects.count))]
                // Grows at first, then shrinks to nothing.
                if random.next() % 3_000 > step {
                    map[aspect.key] = aspect
                    naive.insert(aspect)
                } else {
                    map[aspect.key] = nil
                    naive.remove(aspect)
                }
                #expect((map[aspect.key] != nil) == naive.contains(aspect), "\(aspect)")
                guard step % 50 == 0 else { continue }
                let patterns = Self.aspects.filter { $0.isPattern && random.next() % 40 == 0 }
                let below = naive.filter { name in patterns.contains { $0.spans(name) && $0 != name } }.sorted()
                // A pattern that is given, and that another spans, is among those of the other.
                #expect(map.below(patterns.map(\.key)) == below, "seed \(seed), step \(step)")
                for pattern in patterns {
                    let isAny = naive.contains { pattern.spans($0) && pattern != $0 }
                    #expect(map.hasAny(below: pattern.key) == isAny, "seed \(seed): \(pattern)")
                }
                #expect(map.values == naive.sorted())
            }
            for aspect in naive { map[aspect.key] = nil }
            #expect(map.isEmpty)
        }
    }

    @Test("a name finds all patterns that span it")
    func namesFindTheirPatterns() {
        for aspect in Self.aspects {
            let spanning = Self.aspects.filter { $0.spans(aspect) }.map(\.key)
            #expect(Set(spanning).isSubset(of: aspect.spanningKeys), "\(aspect)")
            let others = Self.aspects.filter { !$0.spans(aspect) }.map(\.key)
            #expect(Set(others).isDisjoint(with: aspect.spanningKeys), "\(aspect)")
        }
    }
}
