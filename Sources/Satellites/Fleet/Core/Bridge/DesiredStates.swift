// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleWire
package import Varlink

/// The names that the fleet sets on a device: which value counts, how often it was set, and when it is withdrawn.
///
/// The value for the device itself has priority over its groups' values; the configuration orders the groups. After
/// each connection, values are collected until all have arrived, so that a group's value does not appear for a moment.
/// A position advances when the bus has taken a value; otherwise the value is published again, with its count.
///
/// Pure.
package struct DesiredStates: Sendable {
    package enum Effect: Sendable, Hashable {
        /// Publish a value on the device's bus. It stands for all changes up to the target, if there is one; otherwise
        /// an equal value is not a change.
        case publish(String, JSONObject, target: FleetPosition?)
        case withdraw(String)
        /// Call ``retry()`` after a pause: soon if the bus did not take a value, else when programs that set a value at
        /// the same time have surely published again or ended.
        case retry(isSoon: Bool)
        case save
        case ignored(topic: String, reason: String)
    }

    /// The value last published under a name.
    package struct Applied: Sendable, Hashable {
        /// The sequence and the number of the value; `nil` for a plain value.
        var instance: String?
        var generation: Int64?
        /// The position of the name on the device's bus when the bus took the value; `nil` before.
        var bus: FleetPosition?
        /// Whether the broker has forgotten the value, so that only a message withdraws it.
        var isForgotten = false

        var taken: FleetPosition? {
            guard bus != nil, let instance, let generation else { return nil }
            return FleetPosition(instance: instance, generation: generation)
        }
    }

    /// The most names, so that a fleet cannot fill a device; as many as a user can publish on the bus.
    package static let nameLimit = 256
    /// The most bytes of all values, which stay in memory: 4 KB for each name.
    package static let sizeLimit = nameLimit << 12
    /// The place of the device before its groups, which follow from 1.
    private static let own = 0

    struct Value: Sendable {
        let message: DesiredMessage
        let size: Int
    }

    /// The call that the bus has not answered: one at most, so that none takes others along if it ends the connection.
    struct Flight: Sendable {
        let name: String
        /// The published value; `nil` for a withdrawal.
        let target: Applied?
    }

    let device: DeviceID
    private let groups: [String]
    private let allowed: AspectSet
    /// The values of each name by their places.
    var values: [String: [Int: Value]] = [:]
    /// The values that have arrived since the connection was made; `nil` once all have.
    var arrived: [String: Set<Int>]? = [:]
    package internal(set) var applied: [String: Applied]
    var flight: Flight?
    /// The names to publish or withdraw after the answer.
    var due: Set<String> = []
    /// The names whose last value or withdrawal the bus has not taken.
    var failed: Set<String> = []
    /// Whether a forbidden name was reported on this connection: a broker can have any number of such names.
    private var hasReportedName = false

    package init(device: DeviceID, groups: [String], allowed: [Aspect], from positions: [String: Applied] = [:]) {
        self.device = device
        self.groups = groups
        self.allowed = AspectSet(allowed)
        applied = positions
    }

    /// The filters to subscribe to; empty if nothing may be set.
    package var filters: [String] {
        allowed.isEmpty
            ? []
            : ["\(FleetTopic.root)/\(device)/desired/+"] + groups.map { "\(FleetTopic.root)/group/\($0)/desired/+" }
    }

    /// Whether the bus has not answered yet, so that the positions may be behind it.
    package var awaitsAnswer: Bool { flight != nil }

    /// The values that the bus has taken, by name; values of other programs have no number, and are left out.
    package var taken: [String: FleetPosition] { applied.compactMapValues(\.taken) }

    /// Whether all values have arrived, and the bus has answered for each.
    package var isDone: Bool { arrived == nil && flight == nil }

    /// Begins to collect values: they arrive again with each connection.
    package mutating func begin() {
        arrived = [:]
        hasReportedName = false
    }

    /// Whether all values that were known before have arrived again.
    package var isSettled: Bool {
        guard let arrived else { return true }
        return applied.keys.allSatisfy { arrived[$0] != nil }
            && values.allSatisfy { name, places in places.keys.allSatisfy { arrived[name]?.contains($0) == true } }
    }

    /// Takes a message; its payload is empty for a value that was deleted.
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
        guard let aspect = Aspect(name), aspect.isPublished, allowed.covers(aspect) else {
            // A group can have names for other kinds of devices.
            guard place == Self.own, !hasReportedName else { return [] }
            hasReportedName = true
            return ignore(
                "the configuration does not allow the fleet to set '\(name)'; further names are ignored in silence")
        }
        let isKnown = values[name] != nil || applied[name] != nil
        guard isKnown || Set(values.keys).union(applied.keys).count < Self.nameLimit else {
            return ignore("the fleet can set at most \(Self.nameLimit) names")
        }
        applied[name]?.isForgotten = false
        var isNext = true
        if payload.isEmpty {
            values[name]?[place] = nil
        } else {
            // An ignored message deletes nothing.
            if isKnown { arrived?[name, default: []].insert(place) }
            do throws(FleetError) {
                let message = try DesiredMessage(payload)
                let last = values[name]?[place]?.message
                if let instance = message.instance, instance == last?.instance,
                    message.generation ?? 0 < last?.generation ?? 0
                {
                    return ignore("it is older than the one before")
                }
                if let refusal = PublishedValue.refusal(of: message.value) {
                    return ignore("no bus takes the value, which \(refusal)")
                }
                isNext = last == nil || follows(message, name)
                let size = values.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.size } }
                guard size - (values[name]?[place]?.size ?? 0) + payload.count <= Self.sizeLimit else {
                    return ignore("the values that the fleet sets have at most \(Self.sizeLimit) bytes")
                }
                values[name, default: [:]][place] = Value(message: message, size: payload.count)
            } catch {
                return ignore(error.description)
            }
        }
        guard arrived == nil else {
            arrived?[name, default: []].insert(place)
            return []
        }
        // The program that set it publishes again, with the number of both; until then, it would count once more.
        guard isNext else { return failed.insert(name).inserted ? [.retry(isSoon: false)] : [] }
        return apply([name])
    }

    /// Whether a value was not set at the same time as the one that the bus takes or has taken.
    private func follows(_ message: DesiredMessage, _ name: String) -> Bool {
        guard let instance = message.instance,
            let last = flight?.name == name ? flight?.target : applied[name], last.instance != nil
        else { return true }
        return instance == last.instance && message.generation ?? 0 > last.generation ?? 0
    }

    /// Applies the collected values; if it is complete, a missing value was deleted or forgotten.
    ///
    /// If the broker has lost its memory, missing values stay until a message replaces or deletes them.
    package mutating func endCollection(isComplete: Bool, hasForgotten: Bool = false) -> [Effect] {
        guard let arrived else { return [] }
        self.arrived = nil
        guard isComplete else { return apply(failed.union(values.keys)) }
        var effects: [Effect] = []
        if hasForgotten {
            for name in applied.keys where arrived[name] == nil { applied[name]?.isForgotten = true }
            effects.append(.save)
        }
        for (name, places) in values where applied[name]?.isForgotten != true {
            values[name] = places.filter { arrived[name]?.contains($0.key) == true }
        }
        let remembered = applied.keys.filter { applied[$0]?.isForgotten != true }
        return effects + apply(failed.union(values.keys).union(remembered))
    }
}
