// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Testing
import Varlink

/// A client that comes back by position, and checks of all that it is told that it is the promise.
final class ResumingClient {
    let name: String
    private let bus: BusProcess
    private var client: RawClient?
    private var instance: String?
    /// The last generation that it was told, by aspect.
    private(set) var seen: [String: Int] = [:]
    /// The last state that it was told, by aspect.
    private(set) var states: [String: JSON] = [:]
    /// Its subscription, once the first reply is there.
    private(set) var subscription: String?
    /// How often it came back and was understood, and how often it was told the state anew.
    private(set) var resumptions = (understood: 0, anew: 0)

    init(_ name: String, of bus: BusProcess) {
        self.name = name
        self.bus = bus
    }

    var isConnected: Bool { client != nil }

    /// Subscribes, from where it was.
    func connect() throws {
        let client = try bus.client()
        var parameters: JSONObject = ["name": .string(name), "initial": true]
        if let instance {
            parameters["instance"] = .string(instance)
            parameters["resume"] = .array(
                seen.sorted { $0.key < $1.key }.map {
                    .object(["aspect": .string($0.key), "generation": .integer(Int64($0.value))])
                })
        }
        let call = #"{"method":"org.reveille.Bus.Subscribe","more":true,"parameters":"#
        try client.send(call + JSON.object(parameters).description + "}")
        self.client = client
        subscription = nil
    }

    /// Takes what is there to read, and notices the end of the connection.
    func drain() throws {
        guard let client else { return }
        let (texts, hasEnded) = client.receiveAll()
        for text in texts { try take(Reply(parsing: Array(text.utf8))) }
        if hasEnded { self.client = nil }
    }

    private func take(_ reply: Reply) throws {
        guard reply.error == nil else { throw Trouble("\(name): \(reply)") }
        let events = reply.parameters["events"]?.arrayValue?.compactMap(\.objectValue) ?? []
        if subscription == nil {
            try takeFirst(reply.parameters, events)
        } else {
            try takeChanges(events)
        }
    }

    private func takeFirst(_ parameters: JSONObject, _ events: [JSONObject]) throws {
        subscription = parameters["subscription"]?.stringValue
        let told = parameters["instance"]?.stringValue
        let isUnderstood = parameters["resumed"] == true
        if let instance {
            // Whoever has positions of this very instance was told them by it, and it never goes back.
            #expect(isUnderstood == (told == instance), "\(name): instance \(instance), told \(parameters)")
            if isUnderstood { resumptions.understood += 1 } else { resumptions.anew += 1 }
        }
        instance = told
        if isUnderstood { return try takeChanges(events, isFirst: true) }
        #expect(events.allSatisfy { $0.integer("changes") == 0 }, "\(name): a state that is told anew is no change")
        for event in events { note(event) }
    }

    private func takeChanges(_ events: [JSONObject], isFirst: Bool = false) throws {
        #expect(Set(events.map(\.aspect)).count == events.count, "\(name): one event for each aspect")
        #expect(events.map { $0.integer("sequence") } == events.map { $0.integer("sequence") }.sorted())
        for event in events {
            let before = seen[event.aspect] ?? 0
            let changes = event.integer("changes")
            // With `initial` the first reply also has what did not change.
            #expect(changes > 0 || isFirst && event.integer("generation") == before, "\(name): \(event)")
            #expect(event.integer("generation") == before + changes, "\(name): was at \(before), told \(event)")
            note(event)
        }
    }

    private func note(_ event: JSONObject) {
        seen[event.aspect] = event.integer("generation")
        states[event.aspect] = event[event.aspect]
    }
}
