// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Varlink

/// A bus for a benchmark.
final class BenchService {
    private let bus: PhoneBus
    let address: UnixAddress

    /// Starts the bus of a phone.
    ///
    /// - Parameters:
    ///   - phone: The phone.
    ///   - configuration: The configuration; by default, every change of the battery is delivered, to many subscribers.
    /// - Throws: `TestbedError` if the bus does not start.
    init(_ phone: SyntheticPhone, configuration: String = BenchService.quick) throws {
        bus = try phone.startBus(configuration: configuration)
        address = try UnixAddress(bus.address)
    }

    private static let quick = """
        { battery: { levelInterval: 0, levelStep: 0.0001, settleInterval: 10 },
          bus: { connections: 20000, connectionsPerUser: 20000 } }
        """

    /// The resources that the bus uses.
    var usage: ProcessUsage { ProcessUsage(pid: bus.processIdentifier) }

    /// Connects.
    func client() throws -> BlockingClient { try BlockingClient(address) }

    /// Connects clients with subscriptions in the background.
    func sleepers(_ count: Int, to aspects: AspectSet) throws -> [BlockingClient] {
        try (0..<count).map { _ in
            let client = try client()
            try client.subscribe(to: aspects, isInBackground: true)
            return client
        }
    }
}

extension BlockingClient {
    /// Subscribes to changes of one aspect.
    @discardableResult
    func subscribe(to aspect: AspectSet, isInBackground: Bool = false) throws -> SubscribeReply {
        try call(
            .subscribe(SubscriptionRequest(aspects: aspect, startsInBackground: isInBackground)),
            expecting: SubscribeReply.self)
    }

    /// Sends calls without replies as fast as the bus takes them, and waits until the last one is carried out.
    func send(_ count: Int, _ call: (Int) -> BusCall) throws {
        // The calls that are sent at once.
        let batch = 200
        for first in stride(from: 0, to: count, by: batch) {
            try send((first..<min(count, first + batch)).flatMap { Call(call($0), isOneway: true).encoded() })
        }
        // The reply follows the last call.
        try send(.fence)
        _ = try receive()
    }

    /// Waits for an event, and returns the time of reading in nanoseconds of the monotonic clock.
    func waitForEvent() throws -> Int64 {
        _ = try receive()
        return MonotonicClock.now
    }
}
