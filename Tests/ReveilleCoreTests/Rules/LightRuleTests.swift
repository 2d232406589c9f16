// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct LightRuleTests {
    @Test(
        arguments: [
            (0, 1, 120, 120), (0, 0.5, 120, 60), (-20, 0.1, 120, 10), (5, 2, -5, 0), (0, 1, 1e12, nil), (0, 1, -1, nil),
            (0, 1, .nan, nil), (0, 1, .infinity, nil), (0, 1e300, 1e300, nil), (0, 1, 1_000_000, 1_000_000),
        ] as [(Double, Double, Double, Double?)])
    func valuesAreLuxOrRefused(offset: Double, scale: Double, raw: Double, lux: Double?) throws {
        #expect(try #require(LightRule(offset: offset, scale: scale)).lux(raw) == lux)
    }

    @Test(arguments: [0, -1, .nan, .infinity] as [Double]) func scaleMustBePositive(scale: Double) {
        #expect(LightRule(offset: 0, scale: scale) == nil)
        #expect(LightRule(offset: .nan, scale: 1) == nil)
    }

    @Test(
        "a change is reported from a tenth of the last value on, and from 1 lux on",
        arguments: [
            (100, 109.9, false), (100, 110, true), (100, 90, true), (100, 90.1, false), (5, 5.9, false), (5, 6, true),
            (0.5, 0, false), (1, 0, true), (0, 0, false), (nil, 0, true), (0, nil, true), (nil, nil, false),
        ] as [(Double?, Double?, Bool)])
    func changesAreReportedInSteps(last: Double?, next: Double?, isReported: Bool) {
        #expect(LightRule.isReported(Light(lux: next), after: Light(lux: last)) == isReported)
    }

    @Test(
        arguments: [(nil, "unknown"), (0, "0.0 lux"), (3.14, "3.1 lux"), (120.4, "120 lux"), (1e300, "1e+300 lux")]
            as [(Double?, String)])
    func readingIsTextForPeople(lux: Double?, text: String) {
        #expect(Light(lux: lux).description == text)
    }
}
