// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

/// A client that resumes by position and checks that its events are complete and without repetition.
final class ResumingClient {
    let name: String
    private let bus: BusProcess
    private var client: RawClient?
    private var instance: String?
    private(set) var seen: [String: Int] = [:]
    private(set) var states: [String: JSON] = [:]
    private(set) var subscription: String?
    /// The number of reconnections at which the positions were accepted, and at which the state was sent anew.
    private(set) var resumptions = (accepted: 0, anew: 0)

    init(_ name: String, of bus: BusProcess) {
        self.name = name
        self.bus = bus
    }

    var isConnected: Bool { client != nil }

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

    /// Reads all available replies and detects the end of the connection.
    func drain() throws {
        guard let client else { return }
        let (texts, hasEnded) = client.receiveAll()
        for text in texts { try take(Reply(parsing: Array(text.utf8))) }
        if hasEnded { self.client = nil }
    }

    private func take(_ reply: Reply) throws {
        guard reply.error == nil else { throw Trouble("\(name): \(reply)") }
        guard subscription == nil else { return try takeChanges(reply.parameters.events) }
        let parameters = reply.parameters
        let events = parameters.events
        subscription = parameters["subscription"]?.stringValue
        let current = parameters["instance"]?.stringValue
        let isAccepted = parameters["resumed"] == true
        if let instance {
            // Positions of the same instance are always accepted, because its generations never decrease.
            #expect(isAccepted == (current == instance), "\(name): instance \(instance), received \(parameters)")
            if isAccepted { resumptions.accepted += 1 } else { resumptions.anew += 1 }
        }
        instance = current
        if isAccepted { return try takeChanges(events, isFirst: true) }
        #expect(events.allSatisfy { $0.integer("changes") == 0 }, "\(name): a state that is sent anew is not a change")
        for event in events { note(event) }
    }

    private func takeChanges(_ events: [JSONObject], isFirst: Bool = false) throws {
        #expect(Set(events.map(\.aspect)).count == events.count, "\(name): one event for each aspect")
        #expect(events.map { $0.integer("sequence") } == events.map { $0.integer("sequence") }.sorted())
        for event in events {
            let before = seen[event.aspect] ?? 0
            let changes = event.integer("changes")
            // With `initial`, the first reply includes aspects that did not change.
            #expect(changes > 0 || isFirst && event.integer("generation") == before, "\(name): \(event)")
            #expect(event.integer("generation") == before + changes, "\(name): was at \(before), received \(event)")
            note(event)
        }
    }

    private func note(_ event: JSONObject) {
        seen[event.aspect] = event.integer("generation")
        states[event.aspect] = event[event.aspect]
    }
}
