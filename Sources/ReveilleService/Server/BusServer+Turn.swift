// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// What the inputs of a turn leave for its end.
struct Turn {
    /// Whether parts have something to do.
    var partsAreDue = false
    /// Whether the next time of a part may have changed.
    var timesHaveChanged = false
    /// Whether subscribers may need other aspects, or at another pace.
    var demandHasChanged = false
    /// The replies that follow the deliveries.
    var replies: [() -> Void] = []
    /// Lets the loop end each turn.
    var end: TurnEnds.Registration?
}

extension BusServer {
    /// Ends a turn of the loop: carries out what its input has left, in this order.
    ///
    /// An input is a call of a handler by the loop: bytes of a peer, a timer, a reading of a watcher, the end of a
    /// process, an answer of the service manager. Handlers change the state; only this function delivers, so no handler
    /// finds that a delivery has closed a connection beneath it. What changes while a turn settles takes effect in the
    /// next one.
    func settle() {
        guard !isStopping else { return }
        if turn.partsAreDue {
            turn.partsAreDue = false
            turn.timesHaveChanged = true
            for part in parts.all { part.advance(to: loop.bootClock) }
        }
        if turn.demandHasChanged {
            turn.demandHasChanged = false
            adjustWatchers()
        }
        deliver()
        if !turn.replies.isEmpty {
            let replies = turn.replies
            turn.replies = []
            for reply in replies { reply() }
        }
        if turn.timesHaveChanged {
            turn.timesHaveChanged = false
            parts.updateNext()
        }
        waitForNextTime(
            isAtOnce: bus.hasReady || turn.partsAreDue || turn.demandHasChanged || !turn.replies.isEmpty)
    }
}
