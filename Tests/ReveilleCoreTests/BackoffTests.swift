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

    @Test("pauses of many clients are random in full, and can go on with the longest") func manyClients() {
        var backoff = Backoff(from: .seconds(30), to: .seconds(300), least: 0)
        let pauses = (0..<6).map { _ in backoff.next(fraction: 1) / .seconds(1) }
        #expect(pauses == [30, 60, 120, 240, 300, 300])
        backoff.reset()
        #expect(backoff.next(fraction: 0.5) == .seconds(15))
        backoff.slowDown()
        #expect(backoff.next(fraction: 1) == .seconds(300))
    }
}
