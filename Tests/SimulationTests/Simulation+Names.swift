// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleSystem
import ReveilleWire
import Varlink

// The publishers, and the subscriptions to names.
extension Simulation {
    private static let names: [Aspect] = ["org.example.a", "org.example.b", "org.example.deep.a", "org.other.a"]
    private static let patterns: [Aspect] = ["org.*", "org.example.*", "org.example.deep.*", "net.*"]
    private static let intervals: [Duration?] = [nil, nil, .milliseconds(1), .milliseconds(50), .milliseconds(400)]

    static func makeClients(_ ledger: NameLedger, _ random: inout SplitMix64) -> [SimulatedClient] {
        (0..<4).map { number in
            let all = names + patterns
            let aspects = AspectSet(all.filter { _ in Int.random(in: 0..<3, using: &random) == 0 })
            var policies: [Aspect: Policy] = [:]
            for aspect in aspects.aspects + names + Reality.aspects.map({ Aspect($0) })
            where Int.random(in: 0..<3, using: &random) == 0 && isCovered(aspect, by: aspects) {
                policies[aspect] = Policy(
                    netChangeOnly: Int.random(in: 0..<3, using: &random) == 0,
                    interval: intervals.randomElement(using: &random) ?? nil)
            }
            return SimulatedClient(
                "client \(number)", names: aspects, policies: policies,
                domains: number % 2 == 1 ? try? DomainSelection(["app/*"]) : nil, ledger: ledger,
                keepsWithdrawn: Bool.random(using: &random))
        }
    }

    private static func isCovered(_ aspect: Aspect, by aspects: AspectSet) -> Bool {
        aspect.builtIn != nil || aspects.contains(aspect) || aspects.names.contains { $0.matches(aspect) }
    }

    static func makePublishers(_ ledger: NameLedger) -> [SimulatedPublisher] {
        [user, user, 0].enumerated().map { number, user in
            SimulatedPublisher(
                number, UnixStream.Peer(pid: process + 2 + Int32(number), uid: user), ledger: ledger)
        }
    }

    // MARK: - Steps

    func actAsPublisher() throws {
        guard let publisher = publishers.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1:
            note("publisher \(publisher.credentials.pid) dies")
            publisher.disconnect()
        case 2: try publishAndDie(publisher)
        case 3: try checkStates()
        case 4: try checkHistory()
        default:
            try publish(publisher)
            if Bool.random(using: &random) { try checkTheAwake() }
        }
    }

    private func randomName() -> Aspect { Self.names.randomElement(using: &random) ?? Self.names[0] }

    private func publish(_ publisher: SimulatedPublisher) throws {
        let peer = publisher.connected(open)
        let name = randomName()
        let value = SimulatedPublisher.value(Int.random(in: 0...2, using: &random), isOther: .random(using: &random))
        let isTied = Int.random(in: 0..<3, using: &random) == 0
        note("publisher \(publisher.credentials.pid) publishes \(name) \(value) \(isTied ? "tied" : "")")
        let reply = try call(publisher.call(name, value, isTied: isTied), on: peer)
        try publisher.take(reply, of: name, value, isTied: isTied)
    }

    /// Ends a publisher during a call, which the bus carries out or not.
    private func publishAndDie(_ publisher: SimulatedPublisher) throws {
        let peer = publisher.connected(open)
        let name = randomName()
        // The value is new, so that the state shows whether the call was carried out.
        interruptedCalls += 1
        let value = SimulatedPublisher.value(2 + interruptedCalls, isOther: .random(using: &random))
        note("publisher \(publisher.credentials.pid) publishes \(name) \(value) and dies")
        peer.send(publisher.call(name, value, isTied: false).encoded(), most: Int.random(in: 1...200, using: &random))
        for _ in 0..<Int.random(in: 0...3, using: &random) where !bus.turn() { break }
        publisher.disconnect()
        while bus.turn() {}
        for event in try states([name]) where event.published?.json == PublishedValue(name, validating: value)?.json {
            let reply = Revision(generation: event.generation, sequence: event.sequence)
            try publisher.take(reply.parameters, of: name, value, isTied: false)
        }
        ledger.endsAreNoticed()
    }

    /// Checks that subscribers in the foreground receive each change at once, unless it has to wait for an interval.
    private func checkTheAwake() throws {
        let awake = clients.filter { $0.isConnected && $0.holds.isEmpty }
        try readAll(of: awake)
        ledger.endsAreNoticed()
        for client in awake { try client.checkNames(at: bus.loop.bootClock) }
    }

    // MARK: - Calls

    private func states(_ aspects: AspectSet) throws -> [Event] {
        let reply = try EventsReply(call(GetState(aspects)), noting: UnknownWords())
        if let instance, instance != reply.instance { throw Broken("the instance became \(reply.instance)") }
        return reply.events
    }

    func checkStates() throws {
        while bus.turn() {}
        ledger.endsAreNoticed()
        try ledger.check(states(["org.*"]))
    }

    private func checkHistory() throws {
        let name = randomName()
        let events = try EventsReply(call(GetHistory(name)), noting: UnknownWords()).events
        var places: [Int] = []
        for event in events { places.append(try ledger.place(of: event, isChange: true)) }
        let last = ledger.states(of: name).indices.last ?? -1
        guard events.allSatisfy({ $0.changeCount == 1 }), zip(places, places.dropFirst()).allSatisfy({ $0 + 1 == $1 }),
            places.last ?? last == last, !places.isEmpty || ledger.isWithdrawn(name)
        else { throw Broken("the history of \(name) is \(events), and its states are \(ledger.states(of: name))") }
    }

    /// Takes the names of a bus that has started: all names that were not tied, or none if the instance is new.
    func meetBus(mayBeNew: Bool) throws {
        let before = instance
        instance = nil
        let reply = try EventsReply(call(GetState(["org.*"])), noting: UnknownWords())
        instance = reply.instance
        if before == instance {
            ledger.busContinued()
        } else if mayBeNew {
            ledger.busBegan()
        } else {
            throw Broken("a bus that stopped continues as another instance")
        }
        try ledger.check(reply.events)
    }
}
