// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ReveilleCore
import ReveilleFoundation
import Testing

@Suite struct DateTests {
    @Test func dateAndTimestampAreTheSameMoment() {
        let timestamp = Timestamp(microseconds: 1_764_000_000_123_456)
        #expect(Timestamp(Date(timestamp)) == timestamp)
        #expect(Date(timestamp).timeIntervalSince1970 == 1_764_000_000.123456)
    }

    @Test(
        "a date beyond all timestamps becomes the nearest",
        arguments: [(Double.infinity, Int64.max), (-.infinity, .min), (1e300, .max), (-1e13, .min), (.nan, .min)])
    func farDates(seconds: Double, microseconds: Int64) {
        #expect(Timestamp(Date(timeIntervalSince1970: seconds)) == Timestamp(microseconds: microseconds))
    }
}
