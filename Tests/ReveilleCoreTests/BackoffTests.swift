// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct BackoffTests {
    @Test("pauses double up to the longest, are random by half, and begin again after a success") func pauses() {
        var backoff = Backoff(from: .milliseconds(20), to: .seconds(2))
        let pauses = (0..<12).map { _ in backoff.next(fraction: 1) }
        #expect(pauses.prefix(3) == [.milliseconds(20), .milliseconds(40), .milliseconds(80)])
        #expect(pauses.last == .seconds(2))
        backoff.reset()
        #expect(backoff.next(fraction: 0) == .milliseconds(10))
    }
}
