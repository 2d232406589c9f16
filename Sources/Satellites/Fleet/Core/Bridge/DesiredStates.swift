// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import Varlink

/// The names that the fleet sets on a device: which value counts, how often it was set, and when it is withdrawn.
///
/// The value for the device itself has priority over those of its groups, whose order is that of the configuration. After
/// each connection, values are collected until all have arrived, so that a group's value does not appear for a moment.
///
/// Pure.
package struct DesiredStates: Sendable {
    /// What is to be done.
    package enum Effect: Sendable, Hashable {
        /// Publish a state on the device's bus. An equal one is not a change.
        case publish(String, JSONObject)
        /// Withdraw a name from it.
        case withdraw(String)
        /// Save the positions.
        case save
        /// A message was ignored, and why.
        case ignored(topic: String, reason: String)
    }

    /// What was last published of a name.
    package struct Applied: Sendable, Hashable {
        /// The sequence and the number of the value; `nil` for a plain one.
        var instance: String?
        var generation: Int64?
        /// The changes that it stands for; `nil` if unknown.
        var changes: Int64?
    }

    /// The most names, so that a fleet cannot fill a device; as many as a user can publish on the bus.
    package static let nameLimit = 256
    /// The place of the device before its groups, which follow from 1.
    private static let own = 0

    private let device: DeviceID
    private let groups: [String]
    private let allowed: NamePatterns
    /// The values of each name by their places.
    private var values: [String: [Int: DesiredMessage]] = [:]
    /// The values that have arrived since the connection was made; `nil` once all have.
    private var arrived: [String: Set<Int>]? = [:]
    private var applied: [String: Applied]

    /// Creates the states from saved positions, if there are any.
    package init(device: DeviceID, groups: [String], allowed: [String], from positions: [String: Applied] = [:]) {
        self.device = device
        self.groups = groups
        self.allowed = NamePatterns(allowed)
        applied = positions
    }

    /// The filters to subscribe to; empty if nothing may be set.
    package var filters: [String] {
        allowed.texts.isEmpty
            ? []
            : ["\(FleetTopic.root)/\(device)/desired/+"] + groups.map { "\(FleetTopic.root)/group/\($0)/desired/+" }
    }

    /// What was last published of each name.
    package var positions: [String: Applied] { applied }

    /// Begins to collect values: they arrive again with each connection.
    package mutating func begin() { arrived = [:] }

    /// Takes a message.
    ///
    /// - Parameters:
    ///   - topic: The topic.
    ///   - payload: The payload; empty for a value that was deleted.
    /// - Returns: The effects.
    package mutating func take(_ topic: FleetTopic, _ payload: [UInt8]) -> [Effect] {
        let place: Int
        let name: String
        switch topic {
        case .desired(device, let aspect): (place, name) = (Self.own, aspect)
        case .groupDesired(let group, let aspect):
            // The broker may still remember a group that is not configured any more.
            guard let index = groups.firstIndex(of: group) else { return [] }
            (place, name) = (index + 1, aspect)
        default: return []
        }
        func ignore(_ reason: String) -> [Effect] { [.ignored(topic: topic.text, reason: reason)] }
        guard name.utf8.contains(UInt8(ascii: ".")), allowed.contains(name) else {
            return ignore("the configuration does not allow the fleet to set '\(name)'")
        }
        guard values[name] != nil || values.count < Self.nameLimit else {
            return ignore("the fleet can set at most \(Self.nameLimit) names")
        }
        if payload.isEmpty {
            values[name]?[place] = nil
        } else {
            do throws(FleetError) {
                let message = try DesiredMessage(payload)
                let last = values[name]?[place]
                if let instance = message.instance, instance == last?.instance,
                    message.generation ?? 0 < last?.generation ?? 0
                {
                    return ignore("it is older than the one before")
                }
                values[name, default: [:]][place] = message
            } catch {
                // What cannot be read deletes nothing.
                arrived?[name, default: []].insert(place)
                return ignore(error.description)
            }
        }
        guard arrived == nil else {
            arrived?[name, default: []].insert(place)
            return []
        }
        return apply(name)
    }

    /// Applies what was collected.
    ///
    /// - Parameter isComplete: Whether all values have arrived, so that one that has not was deleted.
    /// - Returns: The effects.
    package mutating func endCollection(isComplete: Bool) -> [Effect] {
        guard let arrived else { return [] }
        self.arrived = nil
        if isComplete {
            for (name, places) in values {
                values[name] = places.filter { arrived[name]?.contains($0.key) == true }
            }
        }
        let names = isComplete ? Set(values.keys).union(applied.keys) : Set(values.keys)
        return names.sorted().flatMap { apply($0) }
    }

    /// Publishes everything again on a bus that has started.
    ///
    /// - Returns: The effects.
    package func publishAll() -> [Effect] {
        values.keys.sorted().compactMap { name in
            guard let applied = applied[name], let message = winner(name), message.generation == applied.generation
            else { return nil }
            return .publish(name, Self.state(message, changes: applied.changes))
        }
    }

    private func winner(_ name: String) -> DesiredMessage? { values[name]?.min { $0.key < $1.key }?.value }

    private mutating func apply(_ name: String) -> [Effect] {
        guard let message = winner(name) else {
            values[name] = nil
            return applied.removeValue(forKey: name) == nil ? [] : [.withdraw(name), .save]
        }
        let last = applied[name]
        var next = Applied(instance: message.instance, generation: message.generation)
        if let instance = message.instance, let generation = message.generation, let last, instance == last.instance,
            let known = last.generation
        {
            guard generation >= known else {
                return [
                    .ignored(
                        topic: FleetTopic.desired(device, name).text,
                        reason: "the value of '\(name)' is older than the one that was published")
                ]
            }
            next.changes = generation == known ? last.changes : generation - known
        }
        applied[name] = next
        return [.publish(name, Self.state(message, changes: next.changes))] + (next == last ? [] : [.save])
    }

    /// The state on the device's bus: the value beside its count, which the bus does not deliver for a value that was set
    /// several times while the device was away.
    private static func state(_ message: DesiredMessage, changes: Int64?) -> JSONObject {
        var state: JSONObject = ["value": .object(message.value)]
        if let changes { state["changes"] = .integer(changes) }
        if let generation = message.generation { state["generation"] = .integer(generation) }
        if let instance = message.instance { state["instance"] = .string(instance) }
        if let changedAt = message.changedAt { state["changedAt"] = .integer(changedAt) }
        return state
    }
}
