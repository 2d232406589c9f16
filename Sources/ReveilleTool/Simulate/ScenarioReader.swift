// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// The scenario's own subscriber, which reads every event immediately; `expect` compares its last events.
///
/// It sleeps and wakes with the other subscribers.
final class ScenarioReader {
    /// The id of its subscription, which steps do not count.
    private(set) var subscription = ""
    /// The last event of each aspect; initially the state at the start, with no changes.
    private(set) var last: [Aspect: Event] = [:]

    private let address: UnixAddress
    private var client: BusClient
    private var instance = ""

    init(_ address: UnixAddress) throws {
        self.address = address
        client = try BusClient(address)
        try subscribe(["initial": true])
    }

    /// Resumes after a restart of the bus.
    func reconnect() throws {
        client = try BusClient(address)
        let positions = last.values.map { event in
            JSON.object([
                "aspect": .string(event.aspect.rawValue), "generation": .integer(Int64(event.generation)),
            ])
        }
        try subscribe([
            "instance": .string(instance), "resume": .array(positions),
        ])
    }

    private func subscribe(_ parameters: JSONObject) throws {
        var parameters = parameters
        parameters["name"] = "reveille simulate"
        try client.send("Subscribe", parameters, mode: .more)
        let reply = try client.receive(atMost: BusClient.patience).parameters
        subscription = reply["subscription"]?.stringValue ?? ""
        instance = reply["instance"]?.stringValue ?? ""
        try take(reply)
    }

    /// Reads all events that have arrived.
    func read() throws {
        while let reply = try client.next() { try take(reply.parameters) }
    }

    private func take(_ reply: JSONObject) throws {
        // The bus has this program's version, so every word is known.
        for event in try EventCoding.decodeAll(reply, noting: UnknownWords()) { last[event.aspect] = event }
    }
}
