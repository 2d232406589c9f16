// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleCore
package import ReveilleSystem

package struct Connector {
    package let loop: EventLoop
    package var patience: Patience
    /// Connects to the bus, without waiting for room in the listener's queue.
    let connect: () throws(ReveilleError) -> UnixStream
}

extension Connector {
    /// Creates a connector that looks for the bus of an address, by default the usual one, at each connection.
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

extension Backoff {
    /// The first pause: a bus that is replaced is back within tens of milliseconds.
    package static let shortest: Duration = .milliseconds(20)
    /// The longest pause: such a delay goes unnoticed after the bus is back.
    package static let longest: Duration = .seconds(2)

    package init() {
        self.init(from: Self.shortest, to: Self.longest)
    }
}

package enum BusAddress {
    /// Returns the address of the bus to connect to.
    ///
    /// An address that is given, here (`unix:PATH`) or in `$REVEILLE_ADDRESS`, is the only candidate. Otherwise it is the
    /// user's own bus or, if nothing serves that, the machine's bus; root uses the machine's bus only.
    package static func resolve(_ text: String?) throws(ReveilleError) -> UnixAddress {
        if let address = try given(text) { return address }
        let usual = try usual()
        let present = usual.filter { access($0.path, F_OK) == 0 }
        // A single candidate need not be tried: connecting to it reports any error.
        if present.count == 1 { return present[0] }
        if let address = present.first(where: isServed) ?? present.first { return address }
        let places = usual.map(\.description).joined(separator: " or ")
        throw .noBus(at: places)
    }

    /// Returns the address to serve: the given address (`unix:PATH`), otherwise the user's own; for root, the machine's.
    package static func toServe(_ text: String?) throws(ReveilleError) -> UnixAddress {
        if let address = try given(text) { return address }
        return try usual()[0]
    }

    private static func given(_ text: String?) throws(ReveilleError) -> UnixAddress? {
        guard let text = text ?? Environment["REVEILLE_ADDRESS"] else { return nil }
        return try parse(text)
    }

    /// The usual addresses, the user's own first.
    private static func usual() throws(ReveilleError) -> [UnixAddress] {
        let (own, system) = (UnixAddress.ownBusPath, UnixAddress.systemBusPath)
        return try (own == system ? [system] : [own, system]).map { path throws(ReveilleError) in
            try parse("unix:" + path)
        }
    }

    private static func parse(_ text: String) throws(ReveilleError) -> UnixAddress {
        try Result { () throws(UnixAddress.Invalid) in try UnixAddress(text) }
            .mapError { ReveilleError(.invalidArgument, $0.description) }.get()
    }

    /// Whether a process listens: a bus that was killed leaves its socket behind.
    private static func isServed(_ address: UnixAddress) -> Bool {
        do throws(SystemError) {
            _ = try UnixStream(connectingTo: address)
            return true
        } catch {
            // A bus that is busy or refuses this user exists.
            return error.code != ECONNREFUSED && error.code != ENOENT
        }
    }
}
