// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
package import Varlink

/// A set or a deletion of a desired value: one change, however many programs set the value at once.
///
/// A broker keeps the last message of a topic, whatever its sender knew: of several sets at once, some have one number,
/// and all but one are lost. But all programs see the messages of a topic in one order, and a number counts only sets
/// that came before. So each program counts the sets that it sees. If the kept message has a smaller number or not the
/// newest value, the program publishes this value again after a random pause, with the right number. One such message
/// serves everybody who waits.
///
/// Pure.
package struct DesiredEdit: Sendable {
    package enum Step: Sendable, Hashable {
        /// Publish a retained message, and call ``next(at:fraction:)`` when everything up to it has arrived.
        case publish([UInt8])
        /// Call ``next(at:fraction:)`` after a pause.
        case pause(Duration)
        /// The broker does not let this program read the topic.
        case unreadable
        /// The number of the kept value, or of the one that was deleted; `nil` if there is none.
        case done(FleetPosition?)
    }

    private let id: String
    private let value: JSONObject?
    /// The number before.
    private var former: FleetPosition?
    private var hasPublished = false
    private var hasPaused = false
    /// The pauses grow, since a broker may answer slowly.
    private var backoff = Backoff(from: .milliseconds(100), to: .seconds(3), least: 0)
    /// The sets that were seen.
    private var sets: Set<String> = []
    /// The number of all sets, in the sequence with the greatest number.
    private var last: FleetPosition?
    /// The value that was set last; `nil` if it was deleted.
    private var newest: JSONObject?
    /// The message that the broker keeps.
    private var kept: DesiredMessage?
    private var hasBegun = false

    /// Creates a set with a new identity, or a deletion for `nil`.
    package init(id: String, value: JSONObject?) {
        self.id = id
        self.value = value
    }

    /// Takes a message of the topic; all must be taken, in the order of the broker.
    package mutating func take(_ payload: [UInt8]) {
        let isFirst = !hasBegun
        hasBegun = true
        kept = try? DesiredMessage(payload)
        guard let message = kept, let position = message.position else {
            // A deletion, or a value of another program: numbers begin anew.
            (last, newest) = (nil, kept?.value)
            return
        }
        let set = message.set ?? "\(position.instance) \(position.generation)"
        let isNew = !set.isEmpty && sets.insert(set).inserted
        if isNew || isFirst { newest = message.value }
        if isNew { last?.generation += 1 }
        if position.generation > last?.generation ?? 0 { last = position }
    }

    /// Returns the next step, once all earlier messages of the broker have arrived, or after a pause.
    ///
    /// The time is in microseconds since 1970.
    package mutating func next(at time: Int64, fraction: Double) -> Step {
        if !hasPublished {
            hasPublished = true
            former = last
            guard let value else { return .publish([]) }
            // Devices reject a larger number.
            if last?.generation == StateMessage.generationLimit { last = nil }
            let base = last ?? FleetPosition(instance: id, generation: 0)
            return .publish(
                DesiredMessage(
                    instance: base.instance, generation: base.generation + 1, changedAt: time, value: value, set: id
                ).bytes)
        }
        // Values that others have set afterwards stay.
        guard value != nil else { return .done(former) }
        guard hasBegun else { return .unreadable }
        if kept?.value == newest, kept?.generation == last?.generation { return .done(last) }
        hasPaused.toggle()
        if hasPaused { return .pause(backoff.next(fraction: fraction)) }
        guard let newest, let last else { return .publish([]) }
        return .publish(
            DesiredMessage(
                instance: last.instance, generation: last.generation, changedAt: time, value: newest, set: ""
            ).bytes)
    }
}
