// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import ReveilleWire

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
        try subscribe(SubscriptionRequest(aspects: aspect, startsInBackground: isInBackground))
    }

    /// Waits for an event, and returns the time at which it was read in nanoseconds of the monotonic clock.
    func waitForEvent() throws -> Int64 {
        _ = try receive()
        return MonotonicClock.now
    }
}
