// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleSystem
import Varlink

/// A run of the broker with simulated sockets, time, devices, clients and deaths, determined by a seed.
final class Simulation {
    private var random: SplitMix64
    private let statePath: String
    private let reality = Reality()
    private var bus: SimulatedBus
    private let clients: [SimulatedClient]
    private var control: SimulatedPeer?
    /// The process ID of the clients, which is unused, since the bus would watch a real process.
    private static let process: Int32 = 1 << 23
    private let listener: ((String) -> Void)?

    init(seed: UInt64, directory: String, note: ((String) -> Void)?) throws {
        random = SplitMix64(seed: seed)
        statePath = directory + "/\(seed).json"
        clients = (0..<4).map { SimulatedClient("client \($0)") }
        listener = note
        bus = try Self.startBus(reality, statePath, &random)
    }

    /// Performs random steps, then brings all clients to rest and checks their states.
    func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
        try comeToRest()
        try check(clients)
        let count = try call("ListSubscriptions", [:])["subscriptions"]?.arrayValue?.count
        guard count == clients.count else { throw Broken("\(count ?? 0) subscriptions of \(clients.count) clients") }
    }

    /// Checks that the last received states are the true ones.
    private func check(_ clients: [SimulatedClient]) throws {
        for client in clients where client.isConnected {
            for aspect in Reality.aspects where client.numbers[Aspect(aspect)] != reality.number[aspect] {
                let subscriptions = try call("ListSubscriptions", [:])
                throw Broken(
                    "\(client.name) is at \(client.numbers) instead of \(reality.number[aspect]) for \(aspect): "
                        + "subscription \(client.subscription ?? "none") of \(subscriptions)")
            }
        }
    }

    private func note(_ line: @autoclosure () -> String) {
        listener?(line())
    }

    private func step() throws {
        let client = clients[Int.random(in: 0..<clients.count, using: &random)]
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25: change()
        case 25..<50:
            for _ in 0..<Int.random(in: 1...10, using: &random) where !bus.turn() { break }
        case 50..<70:
            let most = Int.random(in: 0..<3, using: &random) == 0 ? .max : Int.random(in: 1...200, using: &random)
            note("\(client.name) reads \(most)")
            try client.read(most)
        case 70..<80: bus.loop.advance(.milliseconds(Int.random(in: 1...200, using: &random)))
        case 80..<86: if !client.isConnected { connect(client) }
        case 86..<93: try setState(of: client, isBackground: Bool.random(using: &random))
        case 93..<96:
            note("\(client.name) disconnects")
            client.disconnect()
        case 96: bus.loop.advance(.seconds(Int.random(in: 1...9, using: &random)))
        case 97: try call("Refresh", [:])
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
            reality: reality, loop: SimulatedLoop(), limits: Configuration().bus, state: StateFile(path: statePath),
            random: SplitMix64(seed: random.next()))
    }

    private func endBus(isClean: Bool) throws {
        note(isClean ? "the bus stops" : "the bus is killed")
        if isClean { bus.stop() }
        for client in clients { try client.busDied() }
        control = nil
        // Changes also happen while there is no bus.
        for _ in 0..<Int.random(in: 0...3, using: &random) { change() }
        bus = try Self.startBus(reality, statePath, &random)
    }

    private func open() -> SimulatedStream {
        bus.connect(
            UnixStream.Peer(pid: Self.process, uid: 1_000), room: Int.random(in: 1...2_000, using: &random))
    }

    private func connect(_ client: SimulatedClient) {
        note("\(client.name) connects")
        client.connect(open(), isBackground: Int.random(in: 0..<4, using: &random) == 0)
    }

    private func setState(of client: SimulatedClient, isBackground: Bool) throws {
        guard client.isConnected, let id = client.subscription else { return }
        note("\(client.name) \(isBackground ? "sleeps" : "wakes")")
        client.isAtRest = false
        try call(
            "SetState", ["subscription": .string(id), "state": isBackground ? "background" : "foreground"])
        guard isBackground else {
            // After a wake, the client receives the current state, not the last known one.
            try readAll(of: [client])
            return try check([client])
        }
        // Replies sent before the hold was confirmed are read first.
        try readAll(of: [client])
        client.isAtRest = true
    }

    /// Sends a call on a separate connection, and runs the loop until the reply arrives.
    @discardableResult
    private func call(_ method: String, _ parameters: JSONObject) throws -> JSONObject {
        let peer = control ?? SimulatedPeer(open())
        control = peer
        peer.send(Call(method: "org.reveille.Bus." + method, parameters: parameters).encoded())
        // A sample takes at most 30 ms, and an iteration of the loop takes no time.
        for _ in 0..<100_000 {
            if !bus.turn() { bus.loop.advance(.milliseconds(10)) }
            guard let reply = try peer.read(.max).first?.reply else { continue }
            guard reply.error == nil else { throw Broken("\(method): \(reply)") }
            return reply.parameters
        }
        throw Broken("\(method) was not answered")
    }

    // MARK: - Rest

    /// Lets everything that is due be sent and read.
    private func quiesce() throws {
        note("everything is read")
        for _ in 0..<20 {
            try readAll(of: clients)
            bus.loop.advance(.milliseconds(100))
        }
    }

    /// Reads until no more data arrives.
    private func readAll(of clients: [SimulatedClient]) throws {
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
        for client in clients { try setState(of: client, isBackground: false) }
        // A battery without a full watch may have unreported changes.
        try call("Refresh", [:])
        try quiesce()
    }
}
