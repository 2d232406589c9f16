// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

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

    init(_ phone: SyntheticPhone) throws {
        bus = try phone.startBus(
            configuration: """
                { battery: { levelInterval: 0, levelStep: 0.0001, settleInterval: 10 },
                  bus: { connections: 20000, connectionsPerUser: 20000 } }
                """)
        address = try UnixAddress(bus.address)
    }

    /// The resident memory of the bus in kilobytes.
    var residentMemory: Int {
        ProcessUsage(pid: bus.processIdentifier).residentMemory
    }

    /// Connects.
    func client() throws -> BlockingClient {
        try BlockingClient(address)
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

    /// Publishes values as fast as the bus takes them, and waits until the last one is published.
    func publish(_ count: Int, _ value: (Int) -> PublishedValue) throws {
        // The calls that are sent at once.
        let batch = 200
        for first in stride(from: 0, to: count, by: batch) {
            try send(
                (first..<min(count, first + batch)).flatMap { number in
                    Call(.publish(value(number)), isOneway: true).encoded()
                })
        }
        // The reply follows the last post.
        try send(.fence)
        _ = try receive()
    }

    /// Waits for an event, and returns the time at which it was read in nanoseconds of the monotonic clock.
    func waitForEvent() throws -> Int64 {
        _ = try receive()
        return MonotonicClock.now
    }
}
