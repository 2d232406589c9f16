// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleSystem
import Varlink

/// One run of a broker with everything around it made up: sockets, time, devices, clients, deaths.
///
/// A seed decides what happens; equal seeds do the same.
final class Simulation {
    private var random: SplitMix64
    private let statePath: String
    private let reality = Reality()
    private var bus: SimulatedBus
    private let clients: [SimulatedClient]
    private var control: SimulatedStream?
    /// The clients' process: one that there is not, or the bus would follow it.
    private static let process: Int32 = 1 << 23
    private let listener: ((String) -> Void)?

    init(seed: UInt64, directory: String, note: ((String) -> Void)?) throws {
        random = SplitMix64(seed: seed)
        statePath = directory + "/\(seed).json"
        clients = (0..<4).map { SimulatedClient("client \($0)") }
        listener = note
        bus = try Self.startBus(reality, statePath, &random)
    }

    /// Does some hundred things, then lets everybody come to rest, and checks where each has arrived.
    func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
        try comeToRest()
        try check(clients)
        let count = try call("ListSubscriptions", [:])["subscriptions"]?.arrayValue?.count
        guard count == clients.count else { throw Broken("\(count ?? 0) subscriptions of \(clients.count) clients") }
    }

    /// Checks that all that was read is the truth.
    private func check(_ clients: [SimulatedClient]) throws {
        for client in clients where client.isConnected {
            for aspect in Reality.aspects where client.told[aspect.rawValue] != reality.number[aspect] {
                let subscriptions = try call("ListSubscriptions", [:])
                throw Broken(
                    "\(client.name) is at \(client.told), not at \(reality.number[aspect]) of \(aspect): "
                        + "it is \(client.subscription ?? "nobody") of \(subscriptions)")
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
            note("\(client.name) goes")
            client.disconnect()
        case 96: bus.loop.advance(.seconds(Int.random(in: 1...9, using: &random)))
        case 97: try call("Refresh", [:])
        case 98: try endBus(isClean: Bool.random(using: &random))
        default: try quiesce()
        }
    }

    // MARK: - What happens

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
        note(isClean ? "the bus ends" : "the bus is killed")
        if isClean { bus.stop() }
        for client in clients { try client.busDied() }
        control = nil
        // Some things happen while there is none.
        for _ in 0..<Int.random(in: 0...3, using: &random) { change() }
        bus = try Self.startBus(reality, statePath, &random)
    }

    private func open() -> SimulatedStream {
        bus.connect(
            UnixStream.Peer(pid: Self.process, uid: 1_000), room: Int.random(in: 1...2_000, using: &random))
    }

    private func connect(_ client: SimulatedClient) {
        note("\(client.name) comes")
        client.connect(open(), isBackground: Int.random(in: 0..<4, using: &random) == 0)
    }

    private func setState(of client: SimulatedClient, isBackground: Bool) throws {
        guard client.isConnected, let id = client.subscription else { return }
        note("\(client.name) \(isBackground ? "sleeps" : "wakes")")
        client.isAtRest = false
        try call(
            "SetState", ["subscription": .string(id), "state": isBackground ? "background" : "foreground"])
        guard isBackground else {
            // Whoever wakes is told of the state now, not of the last one known.
            try readAll(of: [client])
            return try check([client])
        }
        // What was on its way when the hold was answered is read first.
        try readAll(of: [client])
        client.isAtRest = true
    }

    /// Calls from a connection of its own, and lets the loop turn until the answer is there.
    @discardableResult
    private func call(_ method: String, _ parameters: JSONObject) throws -> JSONObject {
        let stream = control ?? open()
        control = stream
        let call: JSONObject = ["method": .string("org.reveille.Bus." + method), "parameters": .object(parameters)]
        stream.send(JSON.object(call).bytes + [0])
        var received: [UInt8] = []
        // A sample takes 30 ms at most, a turn costs nothing.
        for _ in 0..<100_000 {
            if !bus.turn() { bus.loop.advance(.milliseconds(10)) }
            received += stream.receive(.max)
            guard received.last == 0 else { continue }
            let reply = try Reply(parsing: Array(received.dropLast()))
            guard reply.error == nil else { throw Broken("\(method): \(reply)") }
            return reply.parameters
        }
        throw Broken("\(method) is not answered")
    }

    // MARK: - Rest

    /// Lets everything be read and told that is due.
    private func quiesce() throws {
        note("all is read")
        for _ in 0..<20 {
            try readAll(of: clients)
            bus.loop.advance(.milliseconds(100))
        }
    }

    /// Reads until nothing more comes, be it in many pieces.
    private func readAll(of clients: [SimulatedClient]) throws {
        repeat {
            while bus.turn() {}
            for client in clients { try client.read(.max) }
        } while bus.turn()
    }

    private func comeToRest() throws {
        // Whoever finds that the bus has closed its connection comes back.
        try quiesce()
        for client in clients where !client.isConnected { connect(client) }
        try quiesce()
        for client in clients { try setState(of: client, isBackground: false) }
        // A battery that nobody watched in full has not told of everything.
        try call("Refresh", [:])
        try quiesce()
    }
}
