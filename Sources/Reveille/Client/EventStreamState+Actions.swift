// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire

extension EventStreamState {
    enum Input {
        /// The owner wants the stream to be open, or a pause is over.
        case open
        case openAgain
        case described([AspectInfo])
        /// The bus has sent the first reply to Subscribe, at a time.
        case reply(SubscribeReply, at: Timestamp)
        case events([Event])
        case refused(ReveilleError)
        /// There is no connection, or it is no longer usable.
        case lost(ReveilleError)
        /// The owner wants the stream to be in the background, or no longer.
        case background(Bool)
        /// The bus has begun a background; the states of the ``droppable`` aspects, requested after that.
        case backgroundBegan([Event])
        /// The bus has ended a background; the states of the ``dropping`` aspects, requested before that.
        case backgroundEnded(DroppedStates)
        /// The owner no longer needs the stream. A background stays: the end does not deliver waiting events.
        case close
    }

    /// The states at the end of a background whose changes the policy `drop` discards.
    struct DroppedStates {
        /// The states, without names that are not published.
        var states: [Event] = []
        /// The ``EventStreamState/namePositions`` when the states were requested.
        var names: [Aspect: Int] = [:]
        var time = Timestamp(microseconds: 0)
    }

    enum Action: Equatable {
        /// Connect to the bus and ask for its aspects.
        case describe
        /// Subscribe.
        case subscribe(SubscriptionRequest)
        case disconnect
        /// Notify the owner that the bus has accepted the subscription, which can happen repeatedly.
        case started
        /// Notify the owner that the stream has never started and never will.
        case failed(ReveilleError)
        /// Notify the owner of the loss of the bus, and open the stream after a pause.
        case retry(ReveilleError)
        case deliver(StreamOutput)
    }
}
