// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct SamplingFrequencyTests {
    @Test(
        arguments: [
            ("1", "0.1 1 5 12.5 100", "12.5"), ("1.000000", "5 2", "5"), ("10", "100 200", nil), ("1", nil, nil),
            ("1", "", nil), (nil, "100", nil), ("5", "1 2", nil), ("1", "fast 50 20", "20"),
        ] as [(String?, String?, String?)])
    func slowSensorIsRaisedToASufficientFrequency(_ current: String?, _ available: String?, _ raised: String?) {
        #expect(SamplingFrequency.raised(from: current, available: available) == raised)
    }

    @Test(
        arguments: [("1 12.5 5", 12.5), ("[1 0.5 50]", 50), ("-1e300", nil), ("0 nan", nil), ("", nil)]
            as [(String, Double?)])
    func highestFrequencyIsPositive(available: String, highest: Double?) {
        #expect(SamplingFrequency.highest(available: available) == highest)
    }
}
