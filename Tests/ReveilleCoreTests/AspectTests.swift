// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

@Suite struct AspectTests {
    @Test func eachAspectHasABitAndAPlaceOfItsOwn() {
        #expect(Aspect.allCases.map { AspectSet($0).rawValue } == Aspect.allCases.indices.map { 1 << UInt32($0) })
        var table = AspectTable<Aspect?>(repeating: nil)
        for aspect in Aspect.allCases { table[aspect] = aspect }
        #expect(Aspect.allCases.allSatisfy { table[$0] == $0 })
        #expect(AspectSet.all.aspects == Aspect.allCases)
    }

    @Test("a subscriber that names no aspects receives those of the first version alone")
    func defaultAspectsAreFixed() {
        #expect(AspectSet.default == [.locale, .defaults, .battery, .proximity, .orientation])
    }

    @Test(arguments: Aspect.allCases) func unknownReadingIsOfItsAspect(_ aspect: Aspect) {
        #expect(Reading.unknown(aspect).aspect == aspect)
    }
}
