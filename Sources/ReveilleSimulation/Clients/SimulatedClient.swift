// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Varlink

/// A client that subscribes, reads in pieces or not at all, disconnects, resumes from its positions, and checks every
/// event that it receives.
package final class SimulatedClient {
    /// The name, for messages.
    package let name: String
    /// Whether other users may post readings and hold the client, so that readings may be false and holds may end.
    package let isDisturbed: Bool
    private var stream: SimulatedStream?
    private var received: [UInt8] = []
    /// The ID of the subscription, or `nil` until the bus has replied.
    package private(set) var subscription: String?
    private var instance: String?
    private var seen: [String: Int] = [:]
    /// The number of the last received state by aspect.
    package private(set) var told: [String: Int] = [:]
    /// Whether the client is held and has read everything sent before the hold.
    package var isAtRest = false

    /// Creates a client that has not connected.
    package init(_ name: String, isDisturbed: Bool = false) {
        self.name = name
        self.isDisturbed = isDisturbed
    }

    /// Whether the client has a connection, as far as it knows.
    package var isConnected: Bool { stream != nil }

    /// Subscribes, and resumes if there was an earlier subscription.
    package func connect(_ stream: SimulatedStream, isBackground: Bool) {
        self.stream = stream
        received = []
        subscription = nil
        isAtRest = false
        var parameters: JSONObject = [
            "aspects": ["locale", "battery"], "initial": true,
            "state": isBackground ? "background" : "foreground",
        ]
        if let instance {
            parameters["instance"] = .string(instance)
            parameters["resume"] = .array(
                seen.sorted { $0.key < $1.key }.map {
                    ["aspect": .string($0.key), "generation": .integer(Int64($0.value))]
                })
        }
        let call: JSONObject = [
            "method": "org.reveille.Bus.Subscribe", "more": true, "parameters": .object(parameters),
        ]
        stream.send(JSON.object(call).bytes + [0])
    }

    /// Closes the connection, as when the client dies.
    package func disconnect() {
        stream?.close()
        stream = nil
    }

    /// Handles the end of the bus, which has sent everything that is due if it was stopped.
    package func busDied() throws(Broken) {
        try take(.max)
        stream = nil
    }

    /// Reads available bytes.
    package func read(_ most: Int) throws(Broken) {
        if let stream { try checkGate(stream) }
        try take(most)
        guard let stream, stream.isClosedByBus, stream.toPeer.isEmpty else { return }
        throw Broken("\(name): the bus closed its connection")
    }

    private func take(_ most: Int) throws(Broken) {
        guard let stream else { return }
        received += stream.receive(most)
        while let end = received.firstIndex(of: 0) {
            let frame = Array(received[..<end])
            received.removeSubrange(...end)
            guard let reply = try? Reply(parsing: frame) else { throw Broken("\(name): invalid reply \(frame)") }
            try take(reply)
        }
    }

    /// Checks that at most one reply after the first is unread.
    private func checkGate(_ stream: SimulatedStream) throws(Broken) {
        guard subscription != nil, received.isEmpty else { return }
        let frames = stream.toPeer.split(separator: 0, omittingEmptySubsequences: true).count
        guard frames <= 1 else { throw Broken("\(name): \(frames) replies are unread") }
    }

    private func take(_ reply: Reply) throws(Broken) {
        guard reply.error == nil, reply.continues else { throw Broken("\(name): \(reply)") }
        let events = reply.parameters["events"]?.arrayValue?.compactMap(\.objectValue) ?? []
        if subscription != nil {
            if isAtRest, !isDisturbed { throw Broken("\(name) is held but received \(events)") }
            if events.isEmpty { throw Broken("\(name): a reply without an event") }
            return try takeChanges(events, isFirst: false)
        }
        subscription = reply.parameters["subscription"]?.stringValue
        let now = reply.parameters["instance"]?.stringValue
        let isUnderstood = reply.parameters["resumed"] == true
        if let instance, isUnderstood != (instance == now) {
            throw Broken("\(name) resumed from instance \(instance), \(now ?? "") replied resumed \(isUnderstood)")
        }
        instance = now
        if isUnderstood { return try takeChanges(events, isFirst: true) }
        guard events.count == 2, events.allSatisfy({ $0["changes"] == 0 }) else {
            throw Broken("\(name): unexpected initial state \(events)")
        }
        for event in events { try note(event) }
    }

    private func takeChanges(_ events: [JSONObject], isFirst: Bool) throws(Broken) {
        let sequences = events.compactMap { $0["sequence"]?.integerValue }
        guard sequences == sequences.sorted() else { throw Broken("\(name): out of order, \(events)") }
        for event in events {
            let aspect = event["aspect"]?.stringValue ?? ""
            let changes = Int(event["changes"]?.integerValue ?? -1)
            let generation = Int(event["generation"]?.integerValue ?? -1)
            let before = seen[aspect] ?? 0
            guard generation == before + changes, changes > 0 || isFirst && changes == 0 else {
                throw Broken("\(name) was at \(before) and received \(event)")
            }
            let last = told[aspect]
            try note(event)
            // At most one change for each state in between, and none without a new state.
            guard !isDisturbed else { continue }
            guard let last, let now = told[aspect], changes <= now - last, (changes == 0) == (now == last) else {
                throw Broken("\(name) knew \(told) and received \(event)")
            }
        }
    }

    private func note(_ event: JSONObject) throws(Broken) {
        let aspect = event["aspect"]?.stringValue ?? ""
        let state = event[aspect]?.objectValue ?? [:]
        let number =
            Self.number(state["identifier"]) ?? Self.number(state["packs"]?.arrayValue?.first?.objectValue?["name"])
        guard isDisturbed || number ?? -1 >= told[aspect] ?? 0 else {
            throw Broken("\(name) knew number \(told[aspect] ?? 0) and received \(event)")
        }
        told[aspect] = number
        seen[aspect] = Int(event["generation"]?.integerValue ?? -1)
    }

    private static func number(_ name: JSON?) -> Int? {
        name?.stringValue.flatMap { Int($0.dropFirst()) }
    }
}
