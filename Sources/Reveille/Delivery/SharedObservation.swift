// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem

/// The observers of one aspect or pattern in this process, or of chosen domains of the settings.
///
/// They share a stream of the bus, and are called in the order of their addition.
///
/// Loop thread only. The stream exists for as long as there is an observer.
final class SharedObservation: EventSink {
    /// How long a closure may run before the log gets a line about it.
    static let patience: Duration = .seconds(10)

    private struct Member {
        let id: Int
        let sink: any EventSink
        let wantsCurrent: Bool
    }

    private let aspect: Aspect
    private let patience: Duration
    private let logger: Logger
    var stream: StreamID?
    /// Whether the stream could be started; `nil` while the bus has not answered.
    private(set) var startResult: Result<Void, ReveilleError>?
    private var waiting: [CheckedContinuation<Result<Void, ReveilleError>, Never>] = []
    private var watchdog: EventSource?
    private var isTiming = false
    private var members: [Member] = []
    /// The last state of the aspect, or of each published name that the pattern matches.
    private var states: [Aspect: Event] = [:]
    private var instance: String?
    private var isParked = false
    /// Whether the stream has failed: new observers need another.
    private(set) var hasFinished = false

    init(
        of aspect: Aspect, loop: EventLoop, logger: Logger, patience: Duration = SharedObservation.patience
    ) throws(SystemError) {
        self.aspect = aspect
        self.logger = logger
        self.patience = patience
        watchdog = try loop.timer { [unowned self] in lookAtRunning() }
    }

    var hasNoObservers: Bool { members.isEmpty }

    func waitForStart(_ continuation: CheckedContinuation<Result<Void, ReveilleError>, Never>) {
        guard let startResult else { return waiting.append(continuation) }
        continuation.resume(returning: startResult)
    }

    func hasStarted(_ result: Result<Void, ReveilleError>) {
        startResult = result
        for continuation in waiting { continuation.resume(returning: result) }
        waiting = []
    }

    /// Adds an observer; it gets all events from now on, after the current state on request.
    func add(_ id: Int, _ sink: any EventSink, wantsCurrent: Bool) {
        let member = Member(id: id, sink: sink, wantsCurrent: wantsCurrent)
        members.append(member)
        begin(member)
        if isParked { sink.receive(.background(true)) }
    }

    func remove(_ id: Int) {
        members.removeAll { $0.id == id }
    }

    private func begin(_ member: Member) {
        guard let instance else { return }
        let states = states.values.sorted { $0.sequence < $1.sequence }.map { event in
            var state = event
            state.changeCount = 0
            state.isNetChange = false
            return state
        }
        member.sink.receive(.start(member.wantsCurrent ? [] : states, instance: instance))
        if member.wantsCurrent { member.sink.receive(.answer(states)) }
    }

    func cancel() {
        for member in members { member.sink.cancel() }
    }

    func receive(_ output: StreamOutput) {
        switch output {
        case .start(let events, let instance):
            note(events, of: instance)
            for member in members { begin(member) }
            return
        case .restart(let events, let instance): note(events, of: instance)
        case .events(let events):
            note(events, of: nil)
            if !isTiming { watchdog?.fire(after: patience / 2) }
            isTiming = true
        case .background(let isParked): self.isParked = isParked
        case .end(let error):
            hasFinished = true
            logger.error("observers of \(aspect) are no longer called: \(error)")
        case .skip(let states): note(states, of: nil)
        // The shared stream asks for no states.
        case .answer: break
        }
        for member in members { member.sink.receive(output) }
    }

    private func note(_ events: [Event], of instance: String?) {
        if let instance { self.instance = instance }
        for event in events {
            let isForgotten = event.aspect != aspect && event.reading.published?.isWithdrawn == true
            states[event.aspect] = isForgotten ? nil : event
        }
    }

    // MARK: - Slow closures

    private func lookAtRunning() {
        let observers = members.compactMap { $0.sink as? Observer }
        for observer in observers where observer.isOverdue(after: patience) {
            logger.warning("an observer of \(aspect) has been running for more than \(patience)")
        }
        isTiming = observers.contains(where: \.isBusy)
        if isTiming { watchdog?.fire(after: patience / 2) }
    }
}
