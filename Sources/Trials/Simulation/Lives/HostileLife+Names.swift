// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

// The honest publisher, whose names nobody else may change unless root or the bus's own user is hostile.
extension HostileLife {
    private static let names: [Aspect] = ["org.honest.a", "org.honest.b", "org.honest.deep.a"]
    static let subscribedNames: [AspectSet] = [
        ["org.honest.*"], ["org.honest.a", "org.honest.deep.*"], ["org.*", "org.honest.b"],
    ]
    static let policies: [[Aspect: Policy]] = [
        [:], ["org.honest.a": Policy(interval: .milliseconds(1))],
        ["org.honest.a": Policy(netChangeOnly: true, interval: .milliseconds(50))],
        ["locale": Policy(netChangeOnly: true)],
    ]

    func actAsPublisher() throws(Broken) {
        guard !people.hasHostileRoot else { return }
        switch choices.number(below: 8) {
        case 0:
            note("the publisher dies")
            publisher.disconnect()
        case 1:
            try bus.rest()
            ledger.endsAreNoticed()
            try ledger.check(states().events)
        default:
            let name = choices.one(of: Self.names)
            let value = SimulatedPublisher.value(choices.number(below: 3), isOther: choices.number(below: 2) == 1)
            let isTied = choices.happens(onceIn: 3)
            note("\(name) becomes \(value) \(isTied ? "while the publisher is connected" : "")")
            let reply = try ask(connectionOfPublisher, publisher.call(name, value, isTied: isTied))
            try publisher.take(reply, of: name, value, isTied: isTied)
        }
    }

    private var connectionOfPublisher: SimulatedPeer { publisher.connected { bus.connect($0, room: 100_000) } }

    private func states() throws(Broken) -> EventsReply {
        try ask(connectionOfPublisher, Call(GetState(["org.honest.*"]))).decoded()
    }

    /// Takes the names of a new bus: all untied names of the same instance, no names of another instance.
    func meetBus() throws(Broken) {
        guard !people.hasHostileRoot else { return }
        let reply = try states()
        if reply.instance == publisher.instance { ledger.busContinued() } else { ledger.busBegan() }
        publisher.instance = reply.instance
        try ledger.check(reply.events)
    }
}
