// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleCore
import ReveilleSystem

/// Everybody in this process who observes one aspect: they share a stream of the bus, and are told in the order in
/// which they came.
///
/// Loop thread only. The stream is there for as long as somebody is.
final class SharedObservation: EventSink {
    /// How long a closure may run before that is worth a line in the log.
    static let patience: Duration = .seconds(10)

    private struct Member {
        let id: Int
        let sink: any EventSink
        let wantsCurrent: Bool
    }

    private let aspect: Aspect
    private let patience: Duration
    private let logger: Logger
    private var watchdog: EventSource?
    private var isTiming = false
    private var members: [Member] = []
    /// The last state that came, and of which bus.
    private var last: (event: Event, instance: String)?
    private var isParked = false
    /// The stream has ended by itself; who comes now needs another.
    private(set) var hasFinished = false

    init(
        of aspect: Aspect, loop: EventLoop, logger: Logger, patience: Duration = SharedObservation.patience
    ) throws(SystemError) {
        self.aspect = aspect
        self.logger = logger
        self.patience = patience
        watchdog = try loop.timer { [unowned self] in lookAtRunning() }
    }

    /// Whether the stream is there for nobody.
    var hasNobody: Bool { members.isEmpty }

    /// Adds somebody, who is told from here on.
    ///
    /// - Parameters:
    ///   - id: Names them, for ``remove(_:)``.
    ///   - sink: Takes what comes.
    ///   - wantsCurrent: Is told the state that is there too.
    func add(_ id: Int, _ sink: any EventSink, wantsCurrent: Bool) {
        let member = Member(id: id, sink: sink, wantsCurrent: wantsCurrent)
        members.append(member)
        if let last { begin(member, with: last.event, of: last.instance) }
        if isParked { sink.park() }
    }

    /// Takes somebody away.
    func remove(_ id: Int) {
        members.removeAll { $0.id == id }
    }

    private func begin(_ member: Member, with event: Event, of instance: String) {
        var state = event
        state.changes = 0
        state.netChange = false
        member.sink.start(from: member.wantsCurrent ? [] : [state], of: instance)
        if member.wantsCurrent { member.sink.put([state]) }
    }

    private func note(_ events: [Event], of instance: String?) {
        guard let event = events.last, let instance = instance ?? last?.instance else { return }
        last = (event, instance)
    }

    // MARK: - What the stream brings

    func start(from events: [Event], of instance: String) {
        note(events, of: instance)
        for member in members { for event in events { begin(member, with: event, of: instance) } }
    }

    func restart(from events: [Event], of instance: String) {
        note(events, of: instance)
        for member in members { member.sink.restart(from: events, of: instance) }
    }

    func put(_ events: [Event]) {
        note(events, of: nil)
        for member in members { member.sink.put(events) }
        guard !isTiming else { return }
        isTiming = true
        watchdog?.fire(after: patience / 2)
    }

    func park() {
        isParked = true
        for member in members { member.sink.park() }
    }

    func unpark() {
        isParked = false
        for member in members { member.sink.unpark() }
    }

    func finish(_ error: ReveilleError) {
        hasFinished = true
        logger.error("observers of \(aspect) are not called any more: \(error)")
        for member in members { member.sink.finish(error) }
    }

    var isEmpty: Bool { members.allSatisfy { $0.sink.isEmpty } }

    // MARK: - Closures that take their time

    private func lookAtRunning() {
        let observers = members.compactMap { $0.sink as? Observer }
        for observer in observers where observer.isOverdue(after: patience) {
            logger.warning("an observer of \(aspect) has been running for more than \(patience)")
        }
        isTiming = observers.contains(where: \.isBusy)
        if isTiming { watchdog?.fire(after: patience / 2) }
    }
}
