// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleDBusCore
import ReveilleSimulation
import Testing
import Varlink

/// Random lives of services, whose published values must be what a reader of all objects finds.
@Suite struct DBusLifeTests {
    /// The lives of a range, between which other tests continue.
    private static let ranges = stride(from: UInt64(1), to: 2_001, by: 100).map { $0...$0 + 99 }

    @Test("2,000 lives end with the states that a naive reader finds", arguments: ranges)
    func lives(_ seeds: ClosedRange<UInt64>) throws {
        for seed in seeds {
            var life = try Life(seed: seed)
            guard let problem = life.run() else { continue }
            Issue.record("seed \(seed): \(problem)")
            return
        }
    }

    @Test("a flood of signals, with no time between them, holds back no other service") func floodHoldsNothingBack()
        throws
    {
        var life = try Life(seed: 1)
        let names = ["org.mpris.MediaPlayer2.a", "org.mpris.MediaPlayer2.b.c"]
        for name in names { life.appear(name) }
        life.need(true)
        let player = ("/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Player")
        life.world.set(names[0], player.0, player.1, "PlaybackStatus", "Changed")
        for number in 0..<300 {
            life.world.set(names[1], player.0, player.1, "Volume", .integer(Int64(number)))
            life.world.answerOne(mayBeSilent: false)
            life.world.deliverOne()
            life.world.now += 100
        }
        #expect(life.world.published["org.mpris.player.a"]?["status"] == "Changed")
    }

    @Test("demand that goes and comes a thousand times leaves nothing behind") func demandLeavesNothing() throws {
        var life = try Life(seed: 1)
        for name in Life.names { life.appear(name) }
        for _ in 0..<1_000 {
            life.need(true)
            life.need(false)
        }
        #expect(life.world.matches.isEmpty)
        #expect(life.world.opened.isEmpty)
        #expect(life.world.follower.deadline == nil)
        #expect(life.world.problem == nil)
    }
}
