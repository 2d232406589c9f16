// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleTool

@Suite struct ScheduleTableTests {
    @Test(
        "a time to come is rounded, so that what was asked for is what is printed",
        arguments: [
            (-1, "now"), (400_000, "now"), (999_000, "in 1 s"), (59_400_000, "in 59 s"), (59_900_000, "in 1 min"),
            (299_990_000, "in 5 min"), (3_599_000_000, "in 1 h 0 min"), (5_399_990_000, "in 1 h 30 min"),
            (86_399_000_000, "in 1 day"), (172_799_000_000, "in 2 days"),
        ])
    func distanceIsRounded(microseconds: Int64, text: String) {
        #expect(ScheduleTable.distance(microseconds) == text)
    }
}
