// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleWire
import Varlink

/// The changes of a phone over the time of a scenario, and their deliveries to two subscribers.
///
/// One subscriber stays awake; its events are the changes of the phone. The other one sleeps and wakes with the program.
/// Times are seconds of the scenario.
struct Timeline {
    /// A state, as far as it is drawn.
    struct State {
        let text: String
        let number: Double?
        let isPlugged: Bool
    }

    struct Delivery {
        let time: Double
        let aspect: Aspect
        let changes: Int
        let state: State
    }

    let title: String
    private(set) var initial: [Aspect: State] = [:]
    private(set) var awake: [Delivery] = []
    private(set) var asleep: [Delivery] = []
    /// The spans in the background; the last one may still be open.
    private(set) var sleeps: [(start: Double, end: Double?)] = []
    /// The time of the last step.
    private(set) var end = 0.0

    init(title: String) {
        self.title = title
    }

    mutating func begin(with events: [Event]) {
        for event in events { initial[event.aspect] = State(event) }
    }

    /// Records the events that both subscribers received by a time.
    mutating func record(awake: [Event], asleep: [Event], at time: Double) {
        end = max(end, time)
        self.awake += awake.map { Delivery($0, at: end) }
        self.asleep += asleep.map { Delivery($0, at: end) }
    }

    mutating func fallAsleep(at time: Double) {
        end = max(end, time)
        if sleeps.last.map({ $0.end != nil }) ?? true { sleeps.append((end, nil)) }
    }

    mutating func wake(at time: Double) {
        end = max(end, time)
        if let last = sleeps.indices.last, sleeps[last].end == nil { sleeps[last].end = end }
    }

    /// The aspects that changed, the device's own first.
    var aspects: [Aspect] {
        let changed = Set(awake.map(\.aspect)).union(asleep.map(\.aspect))
        return changed.sorted { ($0.isPublished ? 1 : 0, $0) < ($1.isPublished ? 1 : 0, $1) }
    }
}

extension Timeline.Delivery {
    init(_ event: Event, at time: Double) {
        // Changes that a policy dropped took place all the same.
        self.init(
            time: time, aspect: event.aspect, changes: event.changeCount + event.droppedCount,
            state: Timeline.State(event))
    }
}

extension Timeline.State {
    init(_ event: Event) {
        let number = ChartedNumber(event.aspect)
        let value = number?.value(event.reading).flatMap { $0.isFinite ? $0 : nil }
        self.init(
            text: value.flatMap { number?.text($0) } ?? Self.text(event), number: value,
            isPlugged: event.reading.battery?.isPlugged == true)
    }

    /// Returns a short form of a state for a narrow place.
    private static func text(_ event: Event) -> String {
        if let settings = event.reading.defaults.map({ _ in event.settings }) {
            return settings.flatMap(\.keys).joined(separator: ", ")
        }
        if let orientation = event.reading.orientation { return orientation.pose.rawValue }
        if let value = event.published {
            return value.json.map(text(of:)) ?? (event.changeCount > 0 ? "withdrawn" : "")
        }
        return "\(event.reading)"
    }

    /// Returns the value of the only member of an object, otherwise the whole value.
    private static func text(of json: String) -> String {
        let value = try? JSON.parse(Array(json.utf8), maximumDepth: PublishedValue.depthLimit)
        guard let members = value?.objectValue?.members, members.count == 1 else { return json }
        return members[0].value.stringValue ?? "\(members[0].value)"
    }
}
