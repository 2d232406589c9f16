// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleFuzz
import Testing

@Suite(
    .enabled(
        if: CostlyReader.isCounted || getenv("CI") != nil && access("/sys/bus/event_source/devices/cpu", F_OK) == 0,
        "the processor's counters cannot be read here"))
struct ReaderCostTests {
    @Test("no reader takes more than twice the work for twice the input", arguments: CostlyReader.all.indices)
    func workGrowsWithTheInput(index: Int) {
        for input in CostlyInput.all { #expect(CostlyReader.all[index].complaint(about: input) == nil) }
    }
}
