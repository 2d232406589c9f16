// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// The work that the inputs of a turn leave for its end.
struct Turn {
    /// The answer to a call that has waited, or that follows deliveries.
    enum Answer {
        case done
        case failure(CallError)
        /// The capabilities that a call of Check asks for, now that all facts are known.
        case check([String])
    }

    var featuresAreDue = false
    /// Whether the schedule has changed since it last settled.
    var scheduleHasChanged = false
    /// Whether the log lacks firings.
    var hasFired = false
    /// Whether the next time of a feature may have changed.
    var timesHaveChanged = false
    /// The earliest time that a feature waits for.
    var next: UInt64?
    /// Whether subscribers may need other aspects, or at another pace.
    var demandHasChanged = false
    /// The calls that are answered after the deliveries.
    var answers: [(connection: Connection, answer: Answer)] = []
    /// Whether the bus is about to end, and settles no further changes.
    var isStopping = false
    /// Whether nothing is left but to deliver.
    var isOver: Bool { !featuresAreDue && !demandHasChanged && !timesHaveChanged && answers.isEmpty }
    /// The registration by which the loop ends each turn.
    var end: TurnEnds.Registration?
}

extension BusServer {
    /// Ends a turn of the loop: does the work that its input has left, in this order.
    ///
    /// An input is a call of a handler by the loop: bytes of a peer, a timer, a reading of a watcher, the end of a
    /// process, an answer of the service manager. Handlers change the state; only this function delivers, so no handler
    /// finds that a delivery has closed a connection beneath it. Changes made while a turn settles take effect in the
    /// next one.
    func settle() {
        guard !turn.isStopping else { return }
        if !turn.isOver { advance() }
        deliver()
        if !turn.isOver { finish() }
        waitForNextTime(isAtOnce: bus.hasReady || !turn.isOver)
    }

    /// Takes the steps that precede the deliveries.
    private func advance() {
        if turn.featuresAreDue {
            turn.featuresAreDue = false
            turn.timesHaveChanged = true
            advanceFeatures(to: loop.bootClock)
        }
        if turn.demandHasChanged {
            turn.demandHasChanged = false
            adjustWatchers()
        }
    }

    /// Takes the steps that follow the deliveries.
    private func finish() {
        if !turn.answers.isEmpty {
            let answers = turn.answers
            turn.answers = []
            for (connection, answer) in answers { give(answer, to: connection) }
        }
        if turn.timesHaveChanged {
            turn.timesHaveChanged = false
            if turn.hasFired {
                turn.hasFired = false
                takeLogLines()
            }
            saveLog()
            let next = [
                processes.freezes.next, features.next(after: loop.bootClock), facilities.log?.next(for: features.log),
            ]
            turn.next = next.compactMap(\.self).min()
        }
    }

    private func give(_ answer: Turn.Answer, to connection: Connection) {
        resume(connection) {
            switch answer {
            case .done: reply(EmptyReply(), on: connection)
            case .failure(let error): fail(error, on: connection)
            case .check(let names): check(names, for: connection)
            }
        }
    }

    /// Advances the features, each with the facts that it needs about the earlier ones.
    private func advanceFeatures(to now: UInt64) {
        // A program is not suspended while it has tasks.
        advanceTasks(to: now)
        advanceSuspending(to: now)
        advanceSchedule(to: now)
        // Late readers come first, since the demand depends on them.
        followReading(!features.followers.isEmpty || !features.demands.isEmpty)
        advanceLateReaders(to: now)
        for follower in features.followers.takeOutdated() { outdate(follower) }
        outdateDemand()
        replyFurther()
        advanceSleep(to: now, hasTasks: !features.tasks.isEmpty)
    }
}
