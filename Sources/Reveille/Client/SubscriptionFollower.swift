// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// A call of ListSubscriptions that survives its bus; loop thread only.
///
/// While a reply waits to be taken, the connection is paused, so that the bus merges what changes.
final class SubscriptionFollower {
    private let connector: Connector
    private let arrived: AsyncStream<Void>.Continuation
    private var connection: BusConnection?
    private var retry: EventSource?
    private var backoff = Backoff()
    /// The subscriptions that were reported and have not ended; `nil` before the first reply.
    private var known: Set<String>?
    private var isFirstReply = true
    private var waiting: Result<SubscriptionChanges, ReveilleError>?

    init(_ connector: Connector, arrived: AsyncStream<Void>.Continuation) throws(SystemError) {
        self.connector = connector
        self.arrived = arrived
        retry = try connector.loop.timer { [weak self] in self?.open() }
    }

    func open() {
        isFirstReply = true
        do throws(ReveilleError) {
            let connection = try BusConnection(connector)
            self.connection = connection
            connection.call(Call(.followSubscriptions)) { [weak self] in self?.take($0) }
        } catch {
            lose(error)
        }
    }

    /// Returns what has arrived, and reads on.
    func next() throws(ReveilleError) -> SubscriptionChanges? {
        let changes = try waiting?.get()
        waiting = nil
        connection?.isPaused = false
        return changes
    }

    func end() {
        retry = nil
        disconnect()
        arrived.finish()
    }

    private func take(_ result: Result<Reply, ReveilleError>) {
        guard let connection else { return }
        do throws(ReveilleError) {
            let reply = try result.get()
            let changes = try SubscriptionChanges(reply, to: Call(.followSubscriptions))
            guard reply.continues else {
                throw ReveilleError(.notSupported, "ListSubscriptions: this bus does not report changes")
            }
            connection.isPaused = true
            deliver(.success(completed(changes)))
        } catch {
            lose(error)
        }
    }

    /// Adds what ended while there was no connection.
    private func completed(_ changes: SubscriptionChanges) -> SubscriptionChanges {
        let ids = Set(changes.subscriptions.map(\.id))
        let former = known ?? []
        let ended = isFirstReply ? former.subtracting(ids).sorted() : changes.ended
        known = former.union(ids).subtracting(ended)
        // A bus that only accepts connections is not tried again and again.
        if !isFirstReply { backoff.reset() }
        isFirstReply = false
        return SubscriptionChanges(subscriptions: changes.subscriptions, ended: ended)
    }

    private func deliver(_ result: Result<SubscriptionChanges, ReveilleError>) {
        waiting = result
        arrived.yield()
    }

    private func lose(_ error: ReveilleError) {
        disconnect()
        let isLoss = error.code == .noBus || error.code == .timeout || error.code == .quotaExceeded
        guard known != nil, isLoss else { return deliver(.failure(error)) }
        retry?.fire(after: backoff.next(fraction: Double.random(in: 0...1)))
    }

    private func disconnect() {
        // The call fails, which is not a loss.
        let connection = connection
        self.connection = nil
        connection?.close()
    }
}

extension Engine {
    /// Begins to follow the subscriptions; returns the number for ``changes(of:)``, and when to call it.
    func follow() throws(ReveilleError) -> (Int, AsyncStream<Void>) {
        let (stream, arrived) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let follower = try ReveilleError.requiring { () throws(SystemError) in
            try SubscriptionFollower(connector, arrived: arrived)
        }
        let number = nextNumber()
        followers[number] = follower
        arrived.onTermination = { [weak self] _ in
            guard let self else { return }
            Task { await self.endFollowing(number) }
        }
        follower.open()
        return (number, stream)
    }

    func changes(of number: Int) throws(ReveilleError) -> SubscriptionChanges? { try followers[number]?.next() }

    private func endFollowing(_ number: Int) { followers.removeValue(forKey: number)?.end() }
}
