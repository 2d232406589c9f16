// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem
import Varlink

extension HostileLife {
    /// How long a call may take: a sample, and patience with the loop.
    private static let patience: Duration = .seconds(2)
    /// How long it takes from a wake to what it tells: a sample, and how late its timer may be.
    private static let sampling: Duration = .milliseconds(50)

    func actHonestly() throws(Broken) {
        let user = choices.one(of: honest)
        switch choices.number(below: 16) {
        case 0..<4: if !user.client.isConnected { try connect(user) }
        case 4..<7: try user.client.read(choices.one(of: [.max, .max, 1, 50]))
        case 7..<9: try sleep(user)
        case 9..<12: try wake(user)
        case 12: try oversleep(user)
        case 13: try askAround(user)
        case 14: user.client.disconnect()
        default:
            note("\(user.client.name) dies")
            user.die()
        }
        guard let id = user.client.subscription else { return }
        // Everybody may list what there is.
        owners[id] = user.credentials.uid
        harvest.take(["subscription": .string(id)])
    }

    func connect(_ user: HonestUser) throws(Broken) {
        if user.isCrowded { try bus.rest() }
        note("\(user.client.name) comes")
        let stream = bus.connect(user.credentials, room: choices.one(of: [2_000, 10, 100_000]))
        user.connect(stream, isBackground: choices.happens(onceIn: 4))
    }

    // MARK: - Sleep

    private func sleep(_ user: HonestUser) throws(Broken) {
        // Whoever sleeps without an end sleeps without an end, whatever it said before.
        if choices.happens(onceIn: 4) { try hold(user, wakeAfter: choices.one(of: Self.naps)) }
        try hold(user, wakeAfter: nil)
    }

    private func hold(_ user: HonestUser, wakeAfter: Int64?) throws(Broken) {
        guard user.client.isConnected, let id = user.client.subscription else { return }
        note("\(user.client.name) sleeps \(wakeAfter.map { "for \($0) ms" } ?? "")")
        user.client.isAtRest = false
        var parameters: JSONObject = ["subscription": .string(id), "state": "background"]
        if let wakeAfter { parameters["wakeAfter"] = .integer(wakeAfter) }
        try ask(user, "org.reveille.Bus.SetState", parameters)
        // What was on its way when the hold was answered is read first.
        try readAll()
        user.client.isAtRest = wakeAfter == nil
    }

    func wake(_ user: HonestUser) throws(Broken) {
        guard user.client.isConnected, let id = user.client.subscription else { return }
        note("\(user.client.name) wakes")
        user.client.isAtRest = false
        try ask(user, "org.reveille.Bus.SetState", ["subscription": .string(id), "state": "foreground"])
        try readAll()
        // Whoever wakes is told of the state now, not of the last one known.
        if !user.client.isDisturbed { try checkTruth(of: user) }
    }

    /// Sleeps for some time, and is woken neither before nor late.
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

    /// Milliseconds, from the least to the most that may be asked for.
    private static let naps: [Int64] = [1, 2, 100, 8_000, 3_600_000, 1 << 31, 31_536_000_000]

    // MARK: - Asking

    private func askAround(_ user: HonestUser) throws(Broken) {
        try ask(
            user,
            choices.one(of: [
                "org.reveille.Bus.GetState", "org.reveille.Bus.ListSubscriptions", "org.reveille.Bus.DescribeAspects",
                "org.varlink.service.GetInfo",
            ]))
    }

    private func ask(_ user: HonestUser, _ method: String, _ parameters: JSONObject = [:]) throws(Broken) {
        if user.control?.isClosed != false {
            // The bus may not have seen yet that connections of before are gone.
            try bus.rest()
            user.control = open(user.credentials, room: 100_000)
        }
        if let control = user.control { try ask(control, method, parameters) }
    }

    /// Calls, and lets time pass until the answer is there.
    @discardableResult
    func ask(_ peer: SimulatedPeer, _ method: String, _ parameters: JSONObject = [:]) throws(Broken) -> JSONObject {
        peer.send(Call(method: method, parameters: parameters).encoded())
        let end = bus.loop.bootClock + UInt64(Self.patience / .microseconds(1))
        while bus.loop.bootClock < end {
            try bus.rest()
            if let answer = try peer.read(.max).first {
                guard answer.reply.error == nil else { throw Broken("\(method) \(parameters): \(answer.reply)") }
                return answer.reply.parameters
            }
            guard !peer.isClosed else { break }
            try bus.pass(.milliseconds(10))
        }
        throw Broken("\(method) of user \(peer.credentials.uid) is not answered")
    }
}
