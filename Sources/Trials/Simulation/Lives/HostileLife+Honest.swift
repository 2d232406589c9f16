// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension HostileLife {
    /// The maximum duration of a call: a sample, and the lateness of the loop.
    private static let patience: Duration = .seconds(2)
    /// The maximum duration of a call where a hostile root suspends honest programs: two requests that the system does
    /// not answer, and the lateness of the loop.
    private static let disturbedPatience: Duration = .seconds(40)
    /// The maximum delay between a wake and its events: a sample requested by another user, then its own, and the
    /// lateness of both timers.
    private static let sampling: Duration = .milliseconds(100)

    func actHonestly() throws(Broken) {
        let user = choices.one(of: honest)
        guard !isFrozen(user.credentials.pid) else { return }
        switch choices.number(below: 16) {
        case 0..<4: if !user.client.isConnected { try connect(user) }
        case 4..<7: try user.client.read(choices.one(of: [.max, .max, 1, 50]))
        case 7..<9:
            // A sleep without an end replaces an earlier one that has an end.
            if choices.happens(onceIn: 4) { try hold(user, wakeAfter: choices.one(of: Self.naps)) }
            try hold(user, wakeAfter: nil)
        case 9..<12: try wake(user)
        case 12: try oversleep(user)
        case 13: try askAround(user)
        case 14: user.client.disconnect()
        default:
            note("\(user.client.name) dies")
            user.die()
            restartProgram(user.credentials.pid)
        }
    }

    func connectTheHonest() throws(Broken) {
        for user in honest where !user.client.isConnected && !isFrozen(user.credentials.pid) { try connect(user) }
    }

    func connect(_ user: HonestUser) throws(Broken) {
        try makeRoom(for: user)
        note("\(user.client.name) connects")
        let stream = bus.connect(user.credentials, room: choices.one(of: [2_000, 10, 100_000]))
        user.client.connect(stream, isBackground: choices.happens(onceIn: 4))
        guard choices.number(below: 4) > 0 else { return }
        try bus.pass(Self.sampling)
        try readAll()
        guard let id = user.client.subscription else { return }
        answers.list(id, of: user.credentials.uid)
    }

    /// If a closed connection still counts, waits until the bus has noticed the end and answered all calls.
    private func makeRoom(for user: HonestUser) throws(Broken) {
        let open = bus.loop.streams.values.count { $0.credentials.uid == user.credentials.uid }
        if open >= People.connectionsPerUser { try bus.pass(.seconds(1)) }
    }

    // MARK: - Sleep

    private func hold(_ user: HonestUser, wakeAfter: Int64?) throws(Broken) {
        guard user.client.isConnected, let id = user.client.subscription else { return }
        note("\(user.client.name) sleeps \(wakeAfter.map { "for \($0) ms" } ?? "")")
        user.client.isAtRest = false
        let duration = wakeAfter.map { Duration.milliseconds($0) }
        try ask(user, Call(SetState(subscription: id, to: .background, wakeAfter: duration)))
        // Replies sent before the hold was confirmed are read first.
        try readAll()
        user.client.isAtRest = wakeAfter == nil
    }

    func wake(_ user: HonestUser) throws(Broken) {
        guard user.client.isConnected, let id = user.client.subscription else { return }
        note("\(user.client.name) wakes")
        user.client.isAtRest = false
        try ask(user, Call(SetState(subscription: id, to: .foreground)))
        try readAll()
        // After a wake, the client receives the current state, not the last known one.
        if !user.client.isDisturbed { try checkTruth(of: user) }
    }

    /// Sleeps for a limited time, and checks that the wake is neither early nor late.
    private func oversleep(_ user: HonestUser) throws(Broken) {
        guard user.client.isConnected, user.client.subscription != nil, !user.client.isDisturbed else { return }
        let nap = choices.one(of: Self.naps)
        let start = bus.loop.bootClock
        try hold(user, wakeAfter: nap)
        user.client.isAtRest = true
        reality.change(.locale)
        bus.look(at: .locale)
        let asleep = Duration.milliseconds(nap) - .microseconds(1) - .microseconds(bus.loop.bootClock - start)
        guard asleep > .zero else { return user.client.isAtRest = false }
        try bus.pass(asleep)
        try readAll()
        user.client.isAtRest = false
        try bus.pass(.microseconds(1) + .milliseconds(nap) / 100 + Self.sampling)
        try readAll()
        try checkTruth(of: user)
    }

    /// Durations in milliseconds, from the minimum to the maximum allowed.
    private static let naps: [Int64] = [1, 2, 100, 8_000, 3_600_000, 1 << 31, 31_536_000_000]

    // MARK: - Calls

    private func askAround(_ user: HonestUser) throws(Broken) {
        let calls = [
            Call(GetState(.default)), Call(GetHistory(.battery)), Call(ListSubscriptions()), Call(DescribeAspects()),
            .fence,
        ]
        try ask(user, choices.one(of: calls))
    }

    private func ask(_ user: HonestUser, _ call: Call) throws(Broken) {
        if user.control?.isClosed != false {
            try makeRoom(for: user)
            user.control = open(user.credentials, room: 100_000)
        }
        if let control = user.control { try ask(control, call) }
    }

    /// Sends a call and advances the time until the reply arrives.
    @discardableResult
    func ask(_ peer: SimulatedPeer, _ call: Call) throws(Broken) -> JSONObject {
        peer.send(call.encoded())
        let patience = people.hasHostileRoot ? Self.disturbedPatience : Self.patience
        let end = bus.loop.bootClock + UInt64(patience / .microseconds(1))
        while bus.loop.bootClock < end {
            try bus.rest()
            if let answer = try peer.read(.max).first {
                guard answer.reply.error == nil else { throw Broken("\(call): \(answer.reply)") }
                return answer.reply.parameters
            }
            guard !peer.isClosed else { break }
            try bus.pass(.milliseconds(10))
        }
        throw Broken("\(call) of user \(peer.credentials.uid) was not answered")
    }
}
