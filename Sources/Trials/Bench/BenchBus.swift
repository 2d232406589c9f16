// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Varlink

extension PhoneBus {
    /// A configuration in which every change of the battery is delivered, to many subscribers.
    static let busy = """
        { battery: { levelInterval: 0, levelStep: 0.0001, settleInterval: 10 },
          bus: { connections: 20000, connectionsPerUser: 20000 } }
        """

    var usage: ProcessUsage { ProcessUsage(pid: processIdentifier) }

    func client() throws -> BlockingClient { try BlockingClient(UnixAddress(address)) }
}

extension BlockingClient {
    /// Connects clients with subscriptions in the background.
    static func sleepers(_ count: Int, at address: UnixAddress, to aspects: AspectSet) throws -> [BlockingClient] {
        try (0..<count).map { _ in
            let client = try BlockingClient(address)
            try client.subscribe(to: aspects, isInBackground: true)
            return client
        }
    }

    @discardableResult
    func subscribe(
        to aspects: AspectSet, isInBackground: Bool = false, policies: [Aspect: Policy] = [:]
    ) throws -> SubscribeReply {
        try call(
            Subscribe(SubscriptionRequest(aspects: aspects, startsInBackground: isInBackground, policies: policies)))
    }

    /// Sends calls without replies as fast as the bus takes them, and waits until the last one is carried out.
    func send(_ count: Int, _ call: (Int) throws -> Publish) throws {
        // The calls that are sent at once.
        let batch = 200
        for first in stride(from: 0, to: count, by: batch) {
            try send((first..<min(count, first + batch)).flatMap { Call(try call($0), isOneway: true).encoded() })
        }
        // The reply follows the last call.
        try send(.fence)
        _ = try receive()
    }

    /// Waits for an event, and returns the time of reading.
    func waitForEvent() throws -> Int64 {
        _ = try receive()
        return Clocks.boot()
    }
}
