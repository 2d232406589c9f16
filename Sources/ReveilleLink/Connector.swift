// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem

package struct Connector {
    package let loop: any Loop
    package var patience: Patience
    /// Connects to the bus, without waiting for room in the listener's queue.
    package let connect: () throws(LinkFailure) -> UnixStream

    package init(
        loop: any Loop, patience: Patience = Patience(), connect: @escaping () throws(LinkFailure) -> UnixStream
    ) {
        self.loop = loop
        self.patience = patience
        self.connect = connect
    }

    /// Connects to a bus at once: only the loop may block the thread.
    package static func open(_ address: UnixAddress) throws(LinkFailure) -> UnixStream {
        try LinkFailure.reaching { () throws(SystemError) in try UnixStream(connectingTo: address, atMost: .zero) }
    }
}

package struct Patience: Sendable {
    /// The timeout for room in the listener's queue: a working bus accepts within milliseconds.
    package var connect: Duration = .seconds(5)
    /// The timeout for a reply: the bus itself waits up to a second for a sensor.
    package var answer: Duration = .seconds(10)
    /// The time after which a connection is good: after its loss, the pauses begin with the shortest again.
    ///
    /// As long as the longest pause, so that a bus that always ends sooner is not tried more often than an absent bus.
    package var steady: Duration = Backoff.longest
    /// The pauses between attempts.
    package var pauses = Backoff()

    package init() {}
}

extension Backoff {
    /// The first pause: a bus that is replaced is back within tens of milliseconds.
    package static let shortest: Duration = .milliseconds(20)
    /// The longest pause: such a delay goes unnoticed after the bus is back.
    package static let longest: Duration = .seconds(2)

    package init() {
        self.init(from: Self.shortest, to: Self.longest)
    }
}
