// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleMQTT
import Testing

@Suite("When a connection is asked for a sign of life, and when it is lost")
struct KeepAliveTests {
    private static let second: UInt64 = 1_000_000

    @Test("a silent broker is asked after the keep-alive, and lost after one and a half of it") func silence() {
        var keepAlive = KeepAlive()
        keepAlive.sent(at: 100 * Self.second)
        keepAlive.received(at: 100 * Self.second)
        #expect(keepAlive.step(at: 101 * Self.second, interval: 60) == .wait(until: 160 * Self.second))
        #expect(keepAlive.step(at: 160 * Self.second, interval: 60) == .ping)
        keepAlive.sent(at: 160 * Self.second)
        keepAlive.asked(at: 160 * Self.second)
        #expect(keepAlive.step(at: 160 * Self.second, interval: 60) == .wait(until: 190 * Self.second))
        #expect(keepAlive.step(at: 190 * Self.second, interval: 60) == .lost(silence: 90 * Self.second))
    }

    @Test("a broker that answers is asked again after the keep-alive") func answer() {
        var keepAlive = KeepAlive()
        keepAlive.received(at: 0)
        keepAlive.sent(at: 60 * Self.second)
        keepAlive.asked(at: 60 * Self.second)
        keepAlive.received(at: 61 * Self.second)
        #expect(keepAlive.step(at: 61 * Self.second, interval: 60) == .wait(until: 120 * Self.second))
    }

    @Test("a client that only sends asks too, since nothing is received") func sending() {
        var keepAlive = KeepAlive()
        keepAlive.received(at: 0)
        keepAlive.sent(at: 59 * Self.second)
        #expect(keepAlive.step(at: 60 * Self.second, interval: 60) == .ping)
    }

    @Test("a machine that slept through the keep-alive has lost the connection") func suspension() {
        var keepAlive = KeepAlive()
        keepAlive.received(at: 0)
        #expect(keepAlive.step(at: 3_600 * Self.second, interval: 60) == .lost(silence: 3_600 * Self.second))
    }
}
