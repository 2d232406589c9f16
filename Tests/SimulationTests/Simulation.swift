// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleSystem
import ReveilleWire
import Varlink

/// A run of the bus with simulated sockets, time, devices, clients and deaths, determined by a seed.
final class Simulation {
    var random: SplitMix64
    private let statePath: String
    private let reality = Reality()
    let ledger = NameLedger()
    private(set) var bus: SimulatedBus
    let clients: [SimulatedClient]
    let publishers: [SimulatedPublisher]
    var interruptedCalls = 0
    /// The connections for calls, by process.
    private var controls: [Int32: SimulatedPeer] = [:]
    /// The process ID of the clients, which is unused, since the bus would watch a real process.
    static let process: Int32 = 1 << 23
    /// The user of all programs.
    static let user: UInt32 = 1_000
    var instance: String?
    private let listener: ((String) -> Void)?

    init(seed: UInt64, directory: String, note: ((String) -> Void)?) throws {
        random = SplitMix64(seed: seed)
        statePath = directory + "/\(seed).json"
        clients = Self.makeClients(ledger, &random)
        publishers = Self.makePublishers(ledger)
        listener = note
        bus = try Self.startBus(reality, statePath, &random)
        try meetBus(mayBeNew: true)
    }

    /// Performs random steps, then brings all clients to rest and checks their states.
    func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
        try comeToRest()
        try check(clients)
        try checkStates()
        let count = try call(ListSubscriptions())["subscriptions"]?.arrayValue?.count
        guard count == clients.count else { throw Broken("\(count ?? 0) subscriptions of \(clients.count) clients") }
    }

    /// Checks that the last received states are the true ones.
    private func check(_ clients: [SimulatedClient]) throws {
        let now = bus.loop.bootClock
        ledger.endsAreNoticed()
        for client in clients where client.isConnected {
            try client.checkNames(at: now)
            for aspect in Reality.aspects
            where client.numbers[Aspect(aspect)] != reality.number(of: aspect, for: client.domains)
                && !client.isWaiting(Aspect(aspect), at: now)
            {
                let subscriptions = try call(ListSubscriptions())
                throw Broken(
                    "\(client.name) is at \(client.numbers) instead of \(reality.number[aspect]) for \(aspect): "
                        + "subscription \(client.subscription ?? "none") of \(subscriptions)")
            }
        }
    }

    func note(_ line: @autoclosure () -> String) {
        listener?(line())
    }

    private func step() throws {
        let client = clients[Int.random(in: 0..<clients.count, using: &random)]
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<10: change()
        case 10..<25: try actAsPublisher()
        case 25..<50:
            for _ in 0..<Int.random(in: 1...10, using: &random) where !bus.turn() { break }
        case 50..<70:
            let most = Int.random(in: 0..<3, using: &random) == 0 ? .max : Int.random(in: 1...200, using: &random)
            note("\(client.name) reads \(most)")
            try client.read(most)
        case 70..<80: bus.loop.advance(.milliseconds(Int.random(in: 1...200, using: &random)))
        case 80..<86: if !client.isConnected { connect(client) }
        case 86..<90: try putToSleep(client)
        case 90..<93: try wake(client, from: Bool.random(using: &random) ? .background : Self.reason(&random))
        case 93..<96:
            note("\(client.name) disconnects")
            client.disconnect()
        case 96: bus.loop.advance(.seconds(Int.random(in: 1...9, using: &random)))
        case 97: try call(Refresh())
        case 98: try endBus(isClean: Bool.random(using: &random))
        default: try quiesce()
        }
    }

    // MARK: - Events

    private func change() {
        let aspect = Reality.aspects.randomElement(using: &random) ?? .locale
        reality.change(aspect)
        note("\(aspect) becomes \(reality.number[aspect])")
        bus.look(at: aspect)
    }

    private static func startBus(
        _ reality: Reality, _ statePath: String, _ random: inout SplitMix64
    ) throws(Broken) -> SimulatedBus {
        try SimulatedBus(
            reality: reality, loop: SimulatedLoop(), owner: user,
            state: StateFile(path: statePath), log: LogFile(path: statePath + ".log"),
            random: SplitMix64(seed: random.next()))
    }

    private func endBus(isClean: Bool) throws {
        note(isClean ? "the bus stops" : "the bus is killed")
        if isClean { bus.stop() }
        for client in clients { try client.busDied() }
        for publisher in publishers { publisher.busDied() }
        controls = [:]
        // Changes also happen while there is no bus.
        for _ in 0..<Int.random(in: 0...3, using: &random) { change() }
        bus = try Self.startBus(reality, statePath, &random)
        try meetBus(mayBeNew: !isClean)
    }

    func open(_ credentials: UnixStream.Peer) -> SimulatedStream {
        bus.connect(credentials, room: Int.random(in: 1...2_000, using: &random))
    }

    private func open(_ process: Int32 = process) -> SimulatedStream {
        open(UnixStream.Peer(pid: process, uid: Self.user))
    }

    private func connect(_ client: SimulatedClient) {
        note("\(client.name) connects")
        client.connect(open(), isBackground: Int.random(in: 0..<4, using: &random) == 0)
    }

    private static func reason(_ random: inout SplitMix64) -> HoldReasons {
        [.app, .app, .operator, .frozen].randomElement(using: &random) ?? .app
    }

    private func putToSleep(_ client: SimulatedClient) throws {
        guard client.isConnected, client.subscription != nil else { return }
        let reason = Self.reason(&random)
        note("\(client.name) sleeps: \(reason.names)")
        try set(reason, of: client, isHeld: true)
        client.holds.formUnion(reason)
        // Replies sent before the hold was confirmed are read first.
        if !client.isAtRest { try readAll(of: [client]) }
        client.isAtRest = true
    }

    private func wake(_ client: SimulatedClient, from reasons: HoldReasons) throws {
        guard client.isConnected, client.subscription != nil else { return }
        note("\(client.name) wakes: \(reasons.names)")
        for reason in [HoldReasons.app, .operator, .frozen] where reasons.contains(reason) {
            client.holds.remove(reason)
            client.isAtRest = client.isAtRest && !client.holds.isEmpty
            try set(reason, of: client, isHeld: false)
        }
        guard client.holds.isEmpty else { return }
        // After a wake, the client receives the current state, not the last known one.
        try readAll(of: [client])
        try check([client])
    }

    private func set(_ reason: HoldReasons, of client: SimulatedClient, isHeld: Bool) throws {
        guard let id = client.subscription, let stream = client.stream else { return }
        guard reason == .frozen else {
            let process = reason == .app ? Self.process : Self.process + 1
            try call(SetState(subscription: id, to: isHeld ? .background : .foreground), by: process)
            return
        }
        bus.setFrozen(isHeld, stream)
        // A wake may wait for a sample that has started, and then for its own; each takes at most 30 ms.
        for _ in 0..<8 where !isHeld {
            while bus.turn() {}
            bus.loop.advance(.milliseconds(10))
        }
    }

    /// Sends a call on a separate connection, and runs the loop until the reply arrives.
    @discardableResult
    func call(_ method: some BusMethod, by process: Int32 = process) throws -> JSONObject {
        let peer = controls[process] ?? SimulatedPeer(open(process))
        controls[process] = peer
        return try self.call(Call(method), on: peer)
    }

    /// Sends a call, and runs the loop until the reply arrives.
    @discardableResult
    func call(_ call: Call, on peer: SimulatedPeer) throws -> JSONObject {
        peer.send(call.encoded())
        // A sample takes at most 30 ms, and an iteration of the loop takes no time.
        for _ in 0..<100_000 {
            if !bus.turn() { bus.loop.advance(.milliseconds(10)) }
            guard let reply = try peer.read(.max).first?.reply else { continue }
            guard reply.error == nil else { throw Broken("\(call): \(reply)") }
            return reply.parameters
        }
        throw Broken("\(call) was not answered")
    }

    // MARK: - Rest

    /// Lets everything that is due be sent and read.
    private func quiesce() throws {
        note("everything is read")
        for _ in 0..<20 {
            try readAll(of: clients)
            bus.loop.advance(.milliseconds(100))
        }
        try readAll(of: clients)
    }

    func readAll(of clients: [SimulatedClient]) throws {
        repeat {
            while bus.turn() {}
            for client in clients { try client.read(.max) }
        } while bus.turn()
    }

    private func comeToRest() throws {
        // Clients whose connection was closed by the bus reconnect.
        try quiesce()
        for client in clients where !client.isConnected { connect(client) }
        try quiesce()
        for client in clients { try wake(client, from: .background) }
        // A battery without a full watch may have unreported changes.
        try call(Refresh())
        try quiesce()
    }
}
