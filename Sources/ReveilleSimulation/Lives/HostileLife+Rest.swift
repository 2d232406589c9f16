// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem
import Varlink

extension HostileLife {
    /// Reads until nothing more comes to the honest.
    func readAll() throws(Broken) {
        repeat {
            try bus.rest()
            for user in honest { try user.client.read(.max) }
        } while bus.turn()
    }

    /// Lets everybody come to rest: each honest client is connected and awake, and each call has its answer.
    func comeToRest() throws(Broken) {
        note("all comes to rest")
        try quiesce()
        try connectTheHonest()
        try quiesce()
        let root = open(UnixStream.Peer(pid: 1 << 25, uid: 0), room: 100_000)
        for user in honest {
            if user.client.isDisturbed, let id = user.client.subscription {
                try ask(root, "org.reveille.Bus.SetState", ["subscription": .string(id), "state": "foreground"])
            }
            try wake(user)
        }
        // A battery that nobody watched in full has not told of everything, and what was posted goes.
        try ask(root, "org.reveille.Bus.Refresh")
        try quiesce()
        for user in honest { try checkTruth(of: user) }
        for peer in peers {
            guard let call = peer.awaited else { continue }
            throw Broken("process \(peer.credentials.pid) of user \(peer.credentials.uid) is not answered: \(call)")
        }
        peers.append(root)
    }

    /// Lets everything be read and told that is due.
    private func quiesce() throws(Broken) {
        for _ in 0..<4 {
            repeat {
                try readAll()
                for peer in peers { try take(try peer.read(.max), by: peer) }
            } while bus.turn()
            try bus.pass(.milliseconds(100))
        }
    }

    /// Checks that all that was read is the truth.
    func checkTruth(of user: HonestUser) throws(Broken) {
        for aspect in Reality.aspects where user.client.told[aspect.rawValue] != reality.number[aspect] {
            throw Broken(
                "\(user.client.name) was told last \(user.client.told), \(aspect) is at \(reality.number[aspect])")
        }
    }

    /// Everybody goes: neither a connection nor a source of the loop stays behind.
    func checkThatTheDeadLeaveNothing() throws(Broken) {
        for peer in peers { peer.close() }
        for user in honest { user.die() }
        peers = []
        // Past a sensor's linger and a silent peer's time.
        try bus.pass(.seconds(10))
        let streams = bus.loop.streamCount
        guard streams == 0 else { throw Broken("\(streams) connections of dead peers stay") }
        guard bus.loop.sourceCount == quietSources else {
            throw Broken("\(bus.loop.sourceCount) sources of the loop stay, not \(quietSources)")
        }
    }
}
