// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem

/// How the connections on one loop reach a bus.
package struct Connector {
    package let loop: EventLoop
    package var patience: Patience
    /// Connects to the bus, without waiting for room in the listener's queue.
    let connect: () throws(ReveilleError) -> UnixStream
}

extension Connector {
    /// Creates a connector that looks the bus of an address (`nil` for the usual one) up for each connection.
    ///
    /// There need not be a bus yet.
    package init(loop: EventLoop, address: String?) throws(ReveilleError) {
        _ = try BusAddress.toServe(address)
        self.init(loop: loop, patience: Patience()) { () throws(ReveilleError) in
            try Self.open(try BusAddress.resolve(address))
        }
    }

    /// Connects to a bus at once: only the loop may block the thread.
    static func open(_ address: UnixAddress) throws(ReveilleError) -> UnixStream {
        try ReveilleError.reaching { () throws(SystemError) in try UnixStream(connectingTo: address, atMost: .zero) }
    }
}

/// The time that a device waits for its bus.
package struct Patience: Sendable {
    /// The timeout for room in the listener's queue: a working bus accepts within milliseconds.
    package var connect: Duration = .seconds(5)
    /// The timeout for a reply: the bus itself waits up to a second for a sensor.
    package var answer: Duration = .seconds(10)
    /// The time after which a connection is good: after its loss, the pauses begin with the shortest again.
    ///
    /// As long as the longest pause, so that a bus that always ends sooner is not tried more often than an absent bus.
    package var steady: Duration = Backoff.longest

    /// Creates the default; only tests need another.
    package init() {}

    /// Whether a connection made at one time, in microseconds since boot, is good at another.
    func isSteady(since start: Int64, at now: Int64) -> Bool {
        .microseconds(now - start) >= steady
    }
}

/// The pauses between attempts to reach a bus that is gone.
extension Backoff {
    /// The first pause: a bus that is replaced is back within tens of milliseconds.
    package static let shortest: Duration = .milliseconds(20)
    /// The longest pause: such a delay goes unnoticed after the bus is back.
    package static let longest: Duration = .seconds(2)

    package init() {
        self.init(from: Self.shortest, to: Self.longest)
    }
}
