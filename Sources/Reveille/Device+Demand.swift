// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleWire

extension Device {
    /// Returns whether anybody needs a name now, and then each change.
    ///
    /// A publisher that measures can stop while nobody needs its values:
    ///
    /// ```swift
    /// let location = PublishedName<[String: Double]>("org.example.location")
    /// for try await isNeeded in device.demand(for: location) {
    ///     print(isNeeded ? "start the receiver" : "stop the receiver")
    /// }
    /// ```
    ///
    /// A subscription to the name, or to a pattern that matches it, needs it while it is in the foreground, and in the
    /// background with ``/ReveilleCore/Policy/Background/immediate`` or ``/ReveilleCore/Policy/Background/hold(limit:)`` for
    /// it. A frozen process needs nothing, and neither does a subscriber that has left an event unread for 5 seconds while
    /// another is due.
    ///
    /// Changes that are not taken are merged, and each element differs from the one before. Each loop asks on its own. If
    /// the bus goes away and comes back, the loop goes on.
    ///
    /// - Returns: Whether the name is needed. A loop ends when its task is cancelled, and throws ``ReveilleError``:
    ///   ``ReveilleError/Code/noBus`` at its beginning, ``ReveilleError/Code/invalidArgument`` for an invalid name, and
    ///   ``ReveilleError/Code/notSupported`` from an earlier bus.
    public func demand<Value>(for name: PublishedName<Value>) -> some AsyncSequence<Bool, any Error> & Sendable {
        NeededNames(engine: engine, names: [name.aspect]) { name throws(ReveilleError) in try name.checkIsPublished() }
            .map { !$0.isEmpty }
    }

    /// Returns the names, of several, that anybody needs now, and then each change, over one connection.
    ///
    /// ```swift
    /// for try await needed in device.demand(for: ["org.example.location", "org.example.speed", "org.example.sensor.*"]) {
    ///     print(needed.contains("org.example.location") ? "start the receiver" : "stop the receiver")
    /// }
    /// ```
    ///
    /// - Parameter names: At most 64 names and patterns. A pattern is needed if any name that it matches could be.
    /// - Returns: The names and patterns that are needed, as ``demand(for:)-(PublishedName<Value>)`` describes it.
    public func demand(for names: Set<Aspect>) -> some AsyncSequence<Set<Aspect>, any Error> & Sendable {
        NeededNames(engine: engine, names: names) { name throws(ReveilleError) in try name.checkIsValid() }
    }
}

private struct NeededNames: AsyncSequence, Sendable {
    let engine: Engine
    let names: Set<Aspect>
    let check: @Sendable (Aspect) throws(ReveilleError) -> Void

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(sequence: self, replies: LastingReplies(to: ObserveDemand(AspectSet(names)), of: engine))
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        let sequence: NeededNames
        var replies: LastingReplies<ObserveDemand>
        var last: Set<Aspect>?

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Set<Aspect>? {
            if last == nil { for name in sequence.names { try sequence.check(name) } }
            while let (demands, isFirst) = try await replies.next(isolation: actor) {
                // The first reply of a connection has all names, and later ones those that changed.
                var needed = isFirst ? [] : last ?? []
                for demand in demands {
                    if demand.isNeeded { needed.insert(demand.aspect) } else { needed.remove(demand.aspect) }
                }
                guard needed != last else { continue }
                last = needed
                return needed
            }
            return nil
        }
    }
}
