// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleWire

/// The true states of published names, with the generations that the bus gave them.
///
/// The states follow from the calls of the publishers alone. When a connection has ended, the bus withdraws the names
/// tied to it at an unknown time; the next generation of each name reveals that time.
package final class NameLedger {
    /// A state of a name.
    package struct State {
        let generation: Int
        /// The value as canonical JSON text; `nil` if the name is not published.
        package let value: String?
    }

    private struct Name {
        var states: [State] = []
        /// The connection whose end withdraws the last state.
        var tie: Int?
        /// Whether that connection has ended, perhaps unnoticed by the bus.
        var isEnding = false

        var last: State? { states.last }

        mutating func withdraw() {
            (tie, isEnding) = (nil, false)
            guard let last, last.value != nil else { return }
            states.append(State(generation: last.generation + 1, value: nil))
        }
    }

    private var names: [Aspect: Name] = [:]
    private var lastSequence = 0

    package init() {}

    /// The names that were ever published, in order.
    package var all: [Aspect] { names.keys.sorted() }

    /// Returns the states of a name, oldest first.
    package func states(of name: Aspect) -> [State] { names[name]?.states ?? [] }

    /// Returns whether the connection that a name is tied to has ended, perhaps unnoticed by the bus.
    func isEnding(_ name: Aspect) -> Bool { names[name]?.isEnding == true }

    /// Returns whether a name is not published, or may be withdrawn.
    package func isWithdrawn(_ name: Aspect) -> Bool {
        names[name].map { $0.last?.value == nil || $0.isEnding } ?? true
    }

    // MARK: - Publishers

    /// Takes the reply to a Publish whose state may be tied to a connection; throws if it does not follow from the state.
    package func publish(_ value: PublishedValue, tiedTo tie: Int?, _ reply: Revision) throws(Broken) {
        var name = names[value.name] ?? Name()
        let before = name.last
        // The bus noticed the end of the other connection first if there was a withdrawal in between.
        if name.isEnding, value.isWithdrawn || reply.generation > (before?.generation ?? 0) + 1 { name.withdraw() }
        name.isEnding = false
        let last = name.last
        let isChange = last?.value != value.json
        let isExpected =
            if last?.value != nil {
                reply.generation == (last?.generation ?? 0) + (isChange ? 1 : 0)
            } else {
                // A forgotten name continues above the sequence of the bus.
                !isChange || reply.generation > last?.generation ?? 0
            }
        guard isExpected, !isChange || reply.sequence > lastSequence else {
            throw Broken("\(value.name) \(value) was answered \(reply) after \(before.map { "\($0)" } ?? "nothing")")
        }
        if isChange {
            name.states.append(State(generation: reply.generation, value: value.json))
            lastSequence = reply.sequence
        }
        name.tie = value.isWithdrawn ? nil : tie
        if !name.states.isEmpty { names[value.name] = name }
    }

    /// Notes the end of a connection, which withdraws the names tied to the connection.
    func connectionEnded(_ tie: Int) {
        for name in names.keys where names[name]?.tie == tie { names[name]?.isEnding = true }
    }

    /// Notes that the bus has noticed the ends of all connections.
    package func endsAreNoticed() {
        for name in names.keys where names[name]?.isEnding == true { names[name]?.withdraw() }
    }

    // MARK: - The bus

    /// Notes that the bus was restarted and continues with its state, without the tied names.
    package func busContinued() {
        for name in names.keys where names[name]?.tie != nil { names[name]?.withdraw() }
    }

    /// Notes that the bus was restarted as another instance, without any names.
    package func busBegan() {
        names = [:]
        lastSequence = 0
    }

    // MARK: - Checks

    /// Returns the index of an event's state among the states of its name, -1 before the first one; throws if the name
    /// did not have the state.
    ///
    /// The bus has counted a change with the event's generation, or it may have forgotten the name, which then gets
    /// another generation.
    package func place(of event: Event, isChange: Bool) throws(Broken) -> Int {
        let isWithdrawn = event.published?.isWithdrawn == true
        if let name = names[event.aspect], name.isEnding, isWithdrawn, let last = name.last,
            event.generation > last.generation
        {
            names[event.aspect]?.withdraw()
        }
        let states = states(of: event.aspect)
        let place = states.lastIndex { $0.generation <= event.generation } ?? -1
        let isExact = place >= 0 && states[place].generation == event.generation
        guard event.published != nil, value(of: event.aspect, at: place) == event.published?.json,
            isExact || isWithdrawn && !isChange
        else { throw Broken("\(event) is not among the states \(states)") }
        return place
    }

    /// Returns the value of a name; `nil` before its first state.
    func value(of name: Aspect, at place: Int) -> String? {
        place < 0 ? nil : names[name]?.states[place].value
    }

    /// Checks that the states of all names are true, while no end of a connection is unnoticed.
    package func check(_ states: [Event]) throws(Broken) {
        for event in states { _ = try place(of: event, isChange: true) }
        let given = Set(states.map(\.aspect))
        for name in all {
            let last = self.states(of: name).last
            guard last?.value == nil ? !given.contains(name) : given.contains(name),
                states.allSatisfy({ $0.aspect != name || $0.generation == last?.generation })
            else { throw Broken("\(name) is \(last.map { "\($0)" } ?? "unknown"), but the bus has \(states)") }
        }
    }
}
