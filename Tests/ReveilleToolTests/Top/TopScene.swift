// SPDX-License-Identifier: Apache-2.0

@testable import ReveilleCore
@testable import ReveilleTool

/// Buses as `reveille top` sees them.
enum TopScene {
    /// The time of the first poll, in microseconds.
    static let start: Int64 = 1_800_000_000_000_000

    /// Returns one change for each reading, a second apart; the last one is at ``start``.
    static func changes(_ readings: [Reading], from generation: Int = 1) -> [Event] {
        readings.enumerated().map { index, reading in
            let time = Timestamp(microseconds: start - Int64(readings.count - 1 - index) * 1_000_000)
            return Event(
                reading: reading, generation: generation + index, sequence: generation + index, changeCount: 1,
                isNetChange: true, firstChangedAt: time, changedAt: time, droppedCount: 0)
        }
    }

    static func levels(_ levels: [Double?], from generation: Int = 1) -> [Event] {
        changes(levels.map { .battery(Battery(state: .unplugged, level: $0)) }, from: generation)
    }

    static func subscriber(
        _ id: String, _ name: String?, pid: Int32 = 100, holds: HoldReasons = [], pending: [Aspect: Int] = [:],
        events: Int = 0
    ) -> SubscriptionInfo {
        SubscriptionInfo(
            id: id, name: name, processID: pid, userID: 1_000, aspects: [.battery], holds: holds, pending: pending,
            eventCount: events, changeCount: 2 * events)
    }

    static let sources = [
        AspectInfo(aspect: .battery, isAvailable: true, isWatched: true, source: "BAT0"),
        AspectInfo(aspect: .proximity, isAvailable: false, isWatched: false, source: "no proximity sensor"),
        AspectInfo(aspect: .lifecycle, isAvailable: true, isWatched: true, source: "the bus"),
    ]

    static func poll(
        seconds: Int64 = 0, levels: [Double?] = [0.1, 0.2, 0.3], subscribers: [SubscriptionInfo] = [],
        sources: [AspectInfo] = sources, after before: TopPoll? = nil
    ) -> TopPoll {
        var histories = before?.histories ?? TopHistories()
        let clock = seconds * 1_000_000
        histories.note(Self.levels(levels), of: .battery, instance: "one", at: clock)
        histories.note([], of: .proximity, instance: "one", at: clock)
        return TopPoll(
            time: Timestamp(microseconds: start + clock), clock: clock, sources: sources, subscribers: subscribers,
            histories: histories, commands: ["a": "player --loud"])
    }

    static func model(columns: Int = 80, rows: Int = 24) -> TopModel {
        var model = TopModel(address: "unix:/run/bus", size: (columns, rows))
        model.receive(
            poll(subscribers: [
                subscriber("a", "player", holds: [.operator], pending: [.battery: 7]),
                subscriber("b", nil, pid: 200),
            ]))
        return model
    }
}

extension Screen {
    var lines: [String] { (0..<rows).map(text) }
}
