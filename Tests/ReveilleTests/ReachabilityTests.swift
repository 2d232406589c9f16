// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reveille

/// When a device tries its bus again, without a connection.
@Suite struct ReachabilityTests {
    private var reachability = Reachability(patience: Patience())
    private let steady: Int64 = 2_000_000
    private let error = ReveilleError(.noBus, "away")

    /// Loses the bus at a time, and returns the pause before the next attempt.
    private mutating func fail(at time: Int64) -> Duration? {
        reachability.lost(at: time)
        return reachability.failed(error, fraction: 1)
    }

    @Test("a device begins as connected, and a loss is one change of its state until the bus answers again")
    mutating func stateFollowsTheBus() {
        #expect(reachability.state == .connected)
        let isNeeded = [reachability.retry(isConnected: true), reachability.retry(isConnected: false)]
        #expect(isNeeded == [false, true])
        _ = fail(at: 0)
        #expect(reachability.state == .disconnected(error))
        let isNew = [reachability.reached(at: 1), reachability.reached(at: 2)]
        #expect(isNew == [true, false])
        #expect(reachability.state == .connected)
    }

    @Test("the pauses double up to the longest while the bus is away")
    mutating func pausesGrow() {
        var pauses: [Duration] = []
        for _ in 0..<9 {
            pauses += [fail(at: 0)].compactMap(\.self)
            _ = reachability.retry(isConnected: false)
        }
        #expect(pauses.prefix(3) == [.milliseconds(20), .milliseconds(40), .milliseconds(80)])
        #expect(pauses.suffix(2) == [Backoff.longest, Backoff.longest])
    }

    @Test("a loss during an attempt is the same failure, with one pause") mutating func failureHasOnePause() {
        #expect(fail(at: 0) == Backoff.shortest)
        #expect(fail(at: 1) == nil)
        _ = reachability.retry(isConnected: false)
        #expect(fail(at: 2) == Backoff.shortest * 2)
    }

    @Test("a connection that lasted, or an answered call, begins the pauses anew", arguments: [true, false])
    mutating func goodConnectionResetsThePauses(isSteady: Bool) {
        for _ in 0..<4 {
            _ = fail(at: 0)
            _ = reachability.retry(isConnected: false)
        }
        _ = reachability.reached(at: 100)
        _ = reachability.reached(at: 100 + steady)
        if !isSteady { reachability.answered() }
        #expect(fail(at: isSteady ? 100 + steady : 101) == Backoff.shortest)
    }

    @Test("a connection that ends soon continues the pauses") mutating func shortConnectionContinuesThePauses() {
        for _ in 0..<2 {
            _ = fail(at: 0)
            _ = reachability.retry(isConnected: false)
        }
        _ = reachability.reached(at: 100)
        #expect(fail(at: 99 + steady) == Backoff.shortest * 4)
    }
}
