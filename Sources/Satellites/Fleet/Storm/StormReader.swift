// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleFleetCore
import ReveilleMQTT
import ReveilleSystem

/// A reader of the whole fleet in a process of its own, which counts the changes of each state.
final class StormReader {
    /// The word on the command line.
    static let argument = "reader"
    /// The pause before the next attempt to reach the broker.
    private static let pause: Duration = .milliseconds(50)

    /// What was counted of a state since the reader saw its instance first.
    private struct Tally {
        var instance: String
        var first: Int64
        var counted: Int64 = 0
    }

    private let broker: MQTTConnection.Endpoint
    private let path: String
    private let loop: EventLoop
    private var ledger = Ledger()
    private var tallies: [String: Tally] = [:]
    private var connection: MQTTConnection?
    private var timer: EventSource?
    private var isAway = false
    private var isCaughtUp = false
    private var subscription: Int32?
    private var messages = 0
    private var events = 0
    private var violations = 0
    private var problems = 0
    private var time: Int64 = 0

    private init(_ port: String, _ path: String, loop: EventLoop) throws {
        broker = try StormBroker.endpoint(port)
        self.path = path
        self.loop = loop
        timer = try loop.timer(priority: .normal) { [unowned self] in connect() }
        for words in Tallies.read(path) {
            guard words.count == 4, let first = Int64(words[2]), let counted = Int64(words[3]),
                let (device, aspect) = Self.parts(words[0])
            else { throw Broken("the reader's file is broken") }
            tallies[words[0]] = Tally(instance: words[1], first: first, counted: counted)
            _ = ledger.resume(FleetPosition(instance: words[1], generation: first + counted), of: aspect, of: device)
        }
    }

    private static func parts(_ key: String) -> (DeviceID, String)? {
        let words = key.split(separator: "/")
        guard words.count == 2, let device = try? DeviceID(String(words[0])) else { return nil }
        return (device, String(words[1]))
    }

    /// Reads and answers commands: `away`, `back`, `save`, `dump PATH`, `figures`.
    ///
    /// - Parameter arguments: The port of the broker, and the file of the positions.
    /// - Throws: `Broken` if an argument or the file is invalid, `SystemError` if the loop fails.
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 2 else { throw Broken("invalid reader") }
        let commands = try CommandLoop()
        let reader = try StormReader(arguments[0], arguments[1], loop: commands.loop)
        reader.connect()
        try commands.run { reader.answer($0.first ?? "", path: $0.last ?? "") }
    }

    private func answer(_ command: String, path: String) -> String {
        switch command {
        case "away":
            isAway = true
            isCaughtUp = false
            connection?.disconnect()
            connection = nil
            (messages, events, time) = (0, 0, 0)
        case "back":
            isAway = false
            connect()
        case "save": save(to: self.path)
        case "dump": save(to: path)
        default: break
        }
        return "\(isCaughtUp ? 1 : 0) \(messages) \(events) \(time) \(violations) \(problems)"
    }

    private func save(to path: String) {
        Tallies.write(
            tallies.map { "\($0.key) \($0.value.instance) \($0.value.first) \($0.value.counted)" }, to: path)
    }

    // MARK: - Broker

    private func connect() {
        guard !isAway else { return }
        isCaughtUp = false
        var options = MQTTConnection.Options(broker: broker, clientID: "reader")
        options.receiveMaximum = 1_000
        do throws(MQTTError) {
            connection = try MQTTConnection(options, on: loop) { [unowned self] in handle($0) }
        } catch {
            timer?.fire(after: Self.pause)
        }
    }

    private func handle(_ event: MQTTConnection.Event) {
        let mark = FleetTopic.mark("storm").text
        switch event {
        case .connected:
            ledger.connect()
            let filters = ["\(FleetTopic.root)/+/state/+", "\(FleetTopic.root)/+/status", mark]
            subscription = connection?.subscribe(to: filters)
        case .subscribed(let number, _):
            if number == subscription { connection?.publish([1], to: mark, retain: false) }
        case .message(mark, _, _, _): isCaughtUp = true
        case .message(let topic, let payload, let isRetained, let expiry):
            let start = Clocks.thread()
            let outcome = ledger.receive(
                payload, on: topic, isRetained: isRetained, expiry: expiry, at: Clocks.boot() / 1_000_000)
            time += Clocks.thread() - start
            messages += 1
            if outcome.problem != nil { problems += 1 }
            if case .state(let event) = outcome.event { count(event) }
        case .acknowledged: break
        case .ended:
            connection = nil
            isCaughtUp = false
            timer?.fire(after: Self.pause)
        }
    }

    /// Adds the changes of an event, by which the generation must be reached.
    private func count(_ event: DeviceEvent) {
        events += 1
        let key = Tallies.key(event.device, event.aspect)
        guard var tally = tallies[key], tally.instance == event.instance else {
            tallies[key] = Tally(instance: event.instance, first: event.generation)
            return
        }
        tally.counted += event.changes ?? 0
        let isExact = event.changes ?? 0 > 0 && tally.first + tally.counted == event.generation
        if !isExact { violations += 1 }
        tallies[key] = tally
    }
}
