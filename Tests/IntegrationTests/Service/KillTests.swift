// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// A bus that is killed repeatedly while all aspects change and clients resume by position.
@Suite(.blocking, .timeLimit(.minutes(10))) struct KillTests {
    private static let rounds = 50

    @Test("B53, B54: fifty kills lose nothing and repeat nothing")
    func killsLoseNothing() throws {
        let turmoil = try Turmoil(seed: 20_261_121)
        for _ in 0..<Self.rounds {
            try turmoil.connect()
            // Some kills occur before the first reply.
            if turmoil.chance(3, of: 4) { try turmoil.waitForFirstReplies() }
            for _ in 0..<Int.random(in: 0...40, using: &turmoil.random) { try turmoil.step() }
            // Half of the kills occur after everything is saved.
            if turmoil.chance(1, of: 2) { try turmoil.bus.waitUntilSaved() }
            try turmoil.restart(by: SIGKILL)
        }
        try turmoil.check()
        for client in turmoil.clients {
            #expect(min(client.resumptions.accepted, client.resumptions.anew) > 3, "\(client.resumptions)")
        }
    }
}
