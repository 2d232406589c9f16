// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import Varlink

/// All disturbances combined for a chosen time: see `Scripts/soak`.
@Suite(.blocking, .enabled(if: getenv("REVEILLE_SOAK_MINUTES") != nil)) struct SoakTests {
    private static func variable(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }

    @Test func clientsStayConsistentForMinutes() throws {
        let minutes = Int(Self.variable("REVEILLE_SOAK_MINUTES") ?? 1)
        let seed = Self.variable("REVEILLE_SEED") ?? UInt64(time(nil))
        print("soak: \(minutes) minutes from seed \(seed); again with REVEILLE_SEED=\(seed)")
        let end = ContinuousClock.now + .seconds(60 * minutes)
        let turmoil = try Turmoil(seed: seed)
        let opinion = try SecondOpinion(of: turmoil.bus, seed: seed)
        var rounds = 0
        var kills = 0
        while ContinuousClock.now < end {
            try turmoil.connect()
            for _ in 0..<Int.random(in: 0...200, using: &turmoil.random) {
                try turmoil.step()
                if turmoil.chance(1, of: 20) { try disturb(turmoil) }
            }
            if turmoil.chance(1, of: 2) {
                try turmoil.restart(by: turmoil.chance(2, of: 3) ? SIGKILL : SIGTERM)
                kills += 1
            }
            try turmoil.check()
            #expect(turmoil.bus.residentMemory < 64 * 1_024, "kilobytes, after \(rounds) rounds")
            rounds += 1
            if rounds % 100 == 0 { print("soak: \(rounds) rounds, \(kills) restarts, seed \(seed)") }
        }
        #expect(opinion.finish() == nil, "the second opinion")
        let resumptions = turmoil.clients.map(\.resumptions)
        print("soak: \(rounds) rounds with \(kills) restarts are clean; by position: \(resumptions.map(\.accepted))")
    }

    /// Sends one of several kinds of invalid or excessive input from another peer.
    private func disturb(_ turmoil: Turmoil) throws {
        let peer = try turmoil.bus.client()
        switch Int.random(in: 0..<6, using: &turmoil.random) {
        case 0: try peer.send(bytes: Array(#"{"method":"#.utf8))
        case 1: try peer.send("}{")
        case 2: try peer.send(#"{"method":"org.reveille.Bus.Subscribe","more":true}"#)
        case 3: for _ in 0..<200 { try? peer.send(#"{"method":"org.reveille.Bus.GetState","parameters":{}}"#) }
        case 4:
            let deep = String(repeating: #"{"a":"#, count: 100)
            try peer.send(#"{"method":"org.reveille.Bus.Refresh","parameters":"# + deep)
        default:
            // Many posted states, which the devices' readings then replace.
            for level in 0..<200 {
                let call = RawClient.battery(Double(level) / 200)
                try peer.send(#"{"method":"org.reveille.Bus.Post","oneway":true,"parameters":\#(call)}"#)
            }
            try peer.call("GetState", #"{"aspects":["locale"]}"#)
        }
    }
}
