// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension HostileLife {
    /// Reads until no more events arrive at the honest clients.
    func readAll() throws(Broken) {
        repeat {
            try bus.rest()
            for user in honest where !isFrozen(user.credentials.pid) { try user.client.read(.max) }
        } while bus.turn()
    }

    /// Brings all clients to rest: honest clients are connected and awake, and every call has its reply.
    func comeToRest() throws(Broken) {
        note("the life comes to rest")
        try settlePrograms()
        try answerAll()
        let root = open(UnixStream.Peer(pid: 1 << 25, uid: 0), room: 100_000)
        // An honest client that was suspended early does not know its subscription.
        let programs = honest.filter(\.client.isDisturbed).map(\.credentials.pid)
        for subscriber in bus.subscribers where programs.contains(subscriber.processID) {
            try ask(root, Call(SetState(subscription: subscriber.id, to: .foreground)))
        }
        try connectTheHonest()
        try quiesce()
        for user in honest { try wake(user) }
        // A battery without a full watch may have unreported changes, and posted readings are replaced.
        try ask(root, Call(Refresh()))
        peers.append(root)
        try answerAll()
        for user in honest { try checkTruth(of: user) }
    }

    /// The most periods of 400 ms that all calls take: a peer may have sent thousands of calls that each read a device.
    private static let mostWaits = 200

    /// Waits until every call has its reply, so that no earlier call takes effect later.
    private func answerAll() throws(Broken) {
        try quiesce()
        for _ in 0..<Self.mostWaits where peers.contains(where: { $0.awaited != nil }) { try quiesce() }
        for peer in peers {
            guard let call = peer.awaited else { continue }
            throw Broken("process \(peer.credentials.pid) of user \(peer.credentials.uid) was not answered: \(call)")
        }
    }

    /// Lets the bus send, and the clients read, everything that is due.
    private func quiesce() throws(Broken) {
        for _ in 0..<4 {
            repeat {
                // A hostile program that is suspended would never read its replies.
                for pid in People.processes where isFrozen(pid) { kill(pid) }
                try readAll()
                for peer in peers { try take(try peer.read(.max), by: peer) }
            } while bus.turn()
            try bus.pass(.milliseconds(100))
        }
    }

    /// Checks that the last received states are true.
    func checkTruth(of user: HonestUser) throws(Broken) {
        if bus.loop.lateness > 0 {
            // The ends of publishers are delivered by a timer.
            try bus.pass(.milliseconds(1))
            try readAll()
        }
        ledger.endsAreNoticed()
        try user.client.checkNames(at: bus.loop.bootClock, lateness: .milliseconds(1))
        for aspect in Reality.aspects
        where user.client.numbers[Aspect(aspect)] != reality.number(of: aspect, for: user.client.domains) {
            throw Broken(
                "\(user.client.name) last received \(user.client.numbers), but \(aspect) is at \(reality.number[aspect])"
            )
        }
    }

    /// Closes all connections, and checks that no connection or event source remains.
    func checkThatTheDeadLeaveNothing() throws(Broken) {
        for peer in peers { peer.close() }
        for user in honest { user.die() }
        publisher.disconnect()
        peers = []
        // Longer than a sensor's linger and the timeout of a silent peer.
        try bus.pass(.seconds(10))
        guard programs.frozen.isEmpty else { throw Broken("nobody can wake \(programs.frozen.sorted())") }
        let streams = bus.loop.streams.count
        guard streams == 0 else { throw Broken("\(streams) connections of dead peers remain") }
        let expected = bus.quietSources + bus.scheduleSourceCount + programs.sourceCount
        guard bus.loop.sourceCount == expected else {
            throw Broken("event sources remain, expected are \(expected): \(bus.loop.sourceList)")
        }
    }
}
