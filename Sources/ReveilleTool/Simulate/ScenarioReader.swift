// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// A subscriber of the scenario's own that reads at once: what it was told last is what `expect` looks at.
///
/// It sleeps and wakes with the others.
final class ScenarioReader {
    /// Its subscription, which no step counts.
    private(set) var subscription = ""
    /// The last event of each aspect; before the first, the state at the start, which stands for no changes.
    private(set) var last: [Aspect: Event] = [:]

    private let address: UnixAddress
    private var client: BusClient
    private var instance = ""

    init(_ address: UnixAddress) throws {
        self.address = address
        client = try BusClient(address)
        try subscribe(["initial": true])
    }

    /// Goes on with a bus that has started again.
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

    /// Reads what it has been told.
    func read() throws {
        while let reply = try client.next() { try take(reply.parameters) }
    }

    private func take(_ reply: JSONObject) throws {
        // The bus is of this version, and says no word that is not known here.
        for event in try EventCoding.decodeAll(reply, noting: UnknownWords()) { last[event.aspect] = event }
    }
}
