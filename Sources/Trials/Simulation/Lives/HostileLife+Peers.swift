// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleService
import ReveilleSystem
import Varlink

extension HostileLife {
    private static let grammar = Grammar(SimulatedBus.interfaces)

    // MARK: - Connections

    func connect() {
        connect(UnixStream.Peer(pid: choices.one(of: People.processes), uid: choices.one(of: people.hostile)))
    }

    private func connect(_ credentials: UnixStream.Peer) {
        peers.removeAll { $0.isClosed }
        guard !isFrozen(credentials.pid) else { return }
        if People.powerful.contains(credentials.uid) {
            let roots = peers.count { People.powerful.contains($0.credentials.uid) }
            guard roots < People.rootConnections else { return }
        }
        note("process \(credentials.pid) of user \(credentials.uid) connects")
        peers.append(open(credentials, room: choices.one(of: [2_000, 50, 300, 100_000])))
    }

    func open(_ credentials: UnixStream.Peer, room: Int) -> SimulatedPeer {
        SimulatedPeer(bus.connect(credentials, room: room), maximumFrame: limits.maxFrame)
    }

    /// Opens all available connections for one user, without sending anything.
    func flood() {
        let stranger = UnixStream.Peer(pid: People.processes[0], uid: choices.one(of: people.strangers))
        for _ in 0..<limits.connections { connect(stranger) }
    }

    func leave() throws(Broken) {
        guard let peer = anyPeer() else { return }
        if choices.number(below: 4) == 0 {
            note("process \(peer.credentials.pid) half-closes its connection")
            return peer.closeHalf()
        }
        note("process \(peer.credentials.pid) dies")
        if choices.number(below: 2) == 0 { try take(try peer.read(.max), by: peer) }
        peer.close()
        peers.removeAll { $0 === peer }
    }

    /// Returns a peer that runs.
    func anyPeer() -> SimulatedPeer? {
        let running = peers.filter { !isFrozen($0.credentials.pid) }
        return running.isEmpty ? nil : choices.one(of: running)
    }

    // MARK: - Calls

    /// Sends several calls at once, complete or not.
    func call() throws(Broken) {
        if peers.isEmpty { connect() }
        guard let peer = anyPeer() else { return }
        var bytes: [UInt8] = []
        for _ in 0..<choices.one(of: [1, 1, 1, 2, 8]) { bytes += makeCall(by: peer) }
        let most = choices.one(of: [.max, .max, .max, bytes.count - 1, bytes.count / 2, 1])
        try send(bytes, by: peer, most: most)
    }

    func send(_ bytes: [UInt8], by peer: SimulatedPeer, most: Int = .max) throws(Broken) {
        let text = String(decoding: bytes, as: UTF8.self)
        note("process \(peer.credentials.pid) of user \(peer.credentials.uid) calls \(text)")
        if text.contains("\"end\"") { programs.processes[peer.credentials.pid]?.mayEnd = true }
        peer.send(bytes, most: most)
        // Most peers read the replies, whose values improve their next calls.
        guard choices.number(below: 4) > 0 else { return }
        try bus.rest()
        try take(try peer.read(.max), by: peer)
    }

    /// Generates a call with values from the replies to its user, or to any user.
    private func makeCall(by peer: SimulatedPeer) -> [UInt8] {
        let user = choices.number(below: 2) == 0 ? peer.credentials.uid : nil
        return Self.grammar.call(choices, harvest: answers.harvest(of: user))
    }

    /// Sends a call with a changed byte, or bytes that are not a call.
    func garble() {
        guard let peer = anyPeer() else { return }
        var bytes = makeCall(by: peer)
        switch choices.number(below: 4) {
        case 0: bytes[choices.number(below: bytes.count)] = UInt8(choices.number(below: 256))
        case 1: bytes.removeLast(choices.number(below: bytes.count))
        case 2: bytes = Array(repeating: UInt8(ascii: "["), count: choices.one(of: [31, 32, 33, 5_000]))
        default: bytes = Array(repeating: UInt8(choices.number(below: 256)), count: limits.maxFrame + 1)
        }
        note("process \(peer.credentials.pid) sends garbage")
        peer.send(bytes)
    }

    /// Checks the replies to a peer and harvests their values.
    func take(_ replies: [Conversation.Answer], by peer: SimulatedPeer) throws(Broken) {
        for answer in replies {
            note("\(answer.call.member) was answered: \(answer.reply.error ?? "ok")")
            guard answer.reply.error == nil else { continue }
            try answers.take(answer, by: peer.credentials.uid)
            if answer.call.member == "Subscribe" { try peer.takeLifecycle(of: answer) }
        }
    }
}
