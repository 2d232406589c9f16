// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleCore
import ReveilleService
import ReveilleSystem
import ReveilleTesting
import ReveilleWatchers
import Varlink

/// One run of a broker with everything around it made up: sockets, time, devices, clients, deaths.
///
/// A seed decides what happens; equal seeds do the same.
final class Simulation {
    private var random: SplitMix64
    private let statePath: String
    private let reality = Reality()
    private var loop = SimulatedLoop()
    private var broker: Broker?
    private var watchers: [SimulatedWatcher] = []
    private let clients: [SimulatedClient]
    private var control: (stream: SimulatedStream, received: [UInt8])?
    /// Numbers that no descriptor of this process has.
    private var lastNumber: Int32 = 1 << 30
    private var note: (String) -> Void

    init(seed: UInt64, directory: String, note: @escaping (String) -> Void) throws {
        random = SplitMix64(seed: seed)
        statePath = directory + "/\(seed).json"
        clients = (0..<4).map { SimulatedClient("client \($0)") }
        self.note = note
        try startBus()
    }

    /// Does some hundred things, then lets everybody come to rest, and checks where each has arrived.
    func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
        try settle()
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

    private func step() throws {
        let client = clients[Int.random(in: 0..<clients.count, using: &random)]
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25: change()
        case 25..<50:
            for _ in 0..<Int.random(in: 1...10, using: &random) where !loop.turn(&random) { break }
        case 50..<70:
            let most = Int.random(in: 0..<3, using: &random) == 0 ? .max : Int.random(in: 1...200, using: &random)
            note("\(client.name) reads \(most)")
            try client.read(most)
        case 70..<80: loop.advance(.milliseconds(Int.random(in: 1...200, using: &random)))
        case 80..<86: if !client.isConnected { connect(client) }
        case 86..<93: try setState(of: client, isBackground: Bool.random(using: &random))
        case 93..<96:
            note("\(client.name) goes")
            client.disconnect()
        case 96: loop.advance(.seconds(Int.random(in: 1...9, using: &random)))
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
        for watcher in watchers where watcher.aspect == aspect { watcher.look() }
    }

    private func startBus() throws {
        loop = SimulatedLoop()
        control = nil
        let broker = try Broker(
            loop: loop, limits: Configuration().bus, state: StateFile(path: statePath), version: "0",
            logger: Logger(label: "simulation", factory: { _ in SwiftLogNoOpLogHandler() }))
        self.broker = broker
        watchers = Reality.aspects.map { aspect in
            SimulatedWatcher(aspect, of: reality, loop: loop, seed: random.next()) { [weak broker] in
                broker?.report($0)
            }
        }
        try broker.start(watchers)
    }

    private func endBus(isClean: Bool) throws {
        note(isClean ? "the bus ends" : "the bus is killed")
        if isClean { broker?.stop() }
        broker = nil
        watchers = []
        for client in clients { try client.busDied() }
        // Some things happen while there is none.
        for _ in 0..<Int.random(in: 0...3, using: &random) { change() }
        try startBus()
    }

    private func open(pid: Int32) -> SimulatedStream {
        lastNumber += 1
        let stream = SimulatedStream(
            lastNumber, loop: loop, room: Int.random(in: 1...2_000, using: &random),
            peer: UnixStream.Peer(pid: pid, uid: 1_000), seed: random.next())
        broker?.accept(SimulatedStream.BusEnd(stream))
        return stream
    }

    private func connect(_ client: SimulatedClient) {
        note("\(client.name) comes")
        client.connect(open(pid: 7), isBackground: Int.random(in: 0..<4, using: &random) == 0)
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
        let stream = control?.stream ?? open(pid: 7)
        control = (stream, [])
        let call: JSONObject = ["method": .string("org.reveille.Bus." + method), "parameters": .object(parameters)]
        stream.send(JSON.object(call).bytes + [0])
        var received: [UInt8] = []
        // A sample takes 30 ms at most, a turn costs nothing.
        for _ in 0..<100_000 {
            if !loop.turn(&random) { loop.advance(.milliseconds(10)) }
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
            loop.advance(.milliseconds(100))
        }
    }

    /// Reads until nothing more comes, be it in many pieces.
    private func readAll(of clients: [SimulatedClient]) throws {
        repeat {
            while loop.turn(&random) {}
            for client in clients { try client.read(.max) }
        } while loop.turn(&random)
    }

    private func settle() throws {
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
