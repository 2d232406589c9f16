// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleWire

extension Device {
    /// Returns whether anybody needs a name now, then each change of that.
    ///
    /// A publisher that measures can stop while nobody needs what it publishes:
    ///
    /// ```swift
    /// for try await isNeeded in device.demand(for: "org.example.location") {
    ///     print(isNeeded ? "start the receiver" : "stop the receiver")
    /// }
    /// ```
    ///
    /// A subscription to the name, or to a pattern that matches it, needs it while it is in the foreground, and in the
    /// background with ``/ReveilleCore/Policy/Background/immediate`` or ``/ReveilleCore/Policy/Background/hold(limit:)`` for
    /// it. A frozen process needs nothing, and neither does a subscriber that has left an event unread for 5 seconds while
    /// another is due. A pattern is needed if any name that it matches could be.
    ///
    /// Changes that are not taken are merged, and each element differs from the one before. Each loop asks on its own. If
    /// the bus goes away and comes back, the loop goes on.
    ///
    /// - Parameter aspect: A published name or a pattern.
    /// - Returns: Whether the name is needed. A loop ends when its task is cancelled, and throws ``ReveilleError``:
    ///   ``ReveilleError/Code/noBus`` at its beginning, ``ReveilleError/Code/invalidArgument`` for an aspect of the device,
    ///   and ``ReveilleError/Code/notSupported`` from an earlier bus.
    public func demand(for aspect: Aspect) -> some AsyncSequence<Bool, any Error> & Sendable {
        DemandOfName(engine: engine, aspect: aspect)
    }
}

private struct DemandOfName: AsyncSequence, Sendable {
    let engine: Engine
    let aspect: Aspect

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(replies: LastingReplies(to: ObserveDemand(AspectSet(aspect)), of: engine))
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        var replies: LastingReplies<ObserveDemand>
        private var last: Bool?

        init(replies: LastingReplies<ObserveDemand>) { self.replies = replies }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Bool? {
            while let (demands, _) = try await replies.next(isolation: actor) {
                guard let isNeeded = demands.first?.isNeeded, isNeeded != last else { continue }
                last = isNeeded
                return isNeeded
            }
            return nil
        }
    }
}
