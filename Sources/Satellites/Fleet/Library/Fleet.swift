// SPDX-License-Identifier: Apache-2.0

@_exported public import ReveilleCore
@_exported public import ReveilleFleetCore
import ReveilleSystem

/// The devices of a fleet, whose states a broker keeps (MQTT 5).
///
/// Each device publishes its states to the broker. A reader that was away receives one event for each state that has
/// changed, with the number of changes.
///
/// ```swift
/// let fleet = try await Fleet.connect(to: "mqtts://broker.example", ca: "/etc/fleet/ca.pem")
/// for try await event in try await fleet.events(devices: ["shop-*"], aspects: [.battery]) {
///     if case .state(let state) = event { print(state.device, state.aspect, state.changeCount ?? 0) }
/// }
/// ```
///
/// After the loss of the broker, the fleet connects again, after random pauses of up to five minutes, so that the
/// readers of a broker do not all return at once.
///
/// Safe to use from any thread and any actor. Its thread exists for as long as the fleet, or ``FleetEvents`` of it.
package final class Fleet: Sendable {
    private let engine: FleetEngine

    private init(_ engine: FleetEngine) {
        self.engine = engine
    }

    /// Connects to a broker once, to check that it accepts this client, and returns its fleet.
    ///
    /// The connection ends again: each ``events(devices:aspects:resume:)`` has a connection of its own, with the same
    /// credentials. Unlike these, this call does not try again if the broker is out of reach.
    ///
    /// ```swift
    /// let fleet = try await Fleet.connect(
    ///     to: "mqtts://broker.example", ca: "/etc/fleet/ca.pem", certificate: "/etc/fleet/reader.pem",
    ///     key: "/etc/fleet/reader.key")
    /// ```
    ///
    /// - Parameters:
    ///   - broker: `mqtts://HOST[:PORT]`, by default port 8883; `mqtt://HOST[:PORT]`, without encryption and only for
    ///     this machine, by default port 1883; `unix:PATH`, with an absolute path; or `HOST[:PORT]`, over TLS unless it
    ///     is this machine.
    ///   - ca: The path of the certificates that may sign the broker's, in PEM; `nil` for this system's certificates.
    ///   - certificate: The path of this client's certificate, in PEM; `nil` if the broker requires none.
    ///   - key: The path of the certificate's private key, in PEM, without a passphrase.
    ///   - user: The name of the user, if the broker does not take it from the certificate.
    ///   - password: The user's password.
    /// - Returns: The fleet, once the broker has answered.
    /// - Throws: `FleetError`: `FleetError.Code.invalidName` for an invalid address; `FleetError.Code.unreachable` if
    ///   the broker cannot be reached, or does not accept the connection within 10 seconds; `FleetError.Code.tls` if a
    ///   certificate is rejected or a file cannot be used; `FleetError.Code.refused` if the broker rejects the client
    ///   or its password, or speaks another version than MQTT 5.
    package static func connect(
        to broker: String, ca: String? = nil, certificate: String? = nil, key: String? = nil, user: String? = nil,
        password: String? = nil
    ) async throws(FleetError) -> Fleet {
        var broker = FleetBroker(address: try BrokerAddress(broker))
        (broker.ca, broker.certificate, broker.key) = (ca, certificate, key)
        (broker.user, broker.password) = (user, password)
        return try await connect(broker)
    }

    /// Returns the fleet of a broker that accepts a first connection.
    package static func connect(_ broker: sending any KeptMessages) async throws(FleetError) -> Fleet {
        let name = broker.description
        let engine: FleetEngine
        do throws(SystemError) {
            engine = try FleetEngine(broker)
        } catch {
            throw FleetError(.unreachable, "connecting to \(name): \(error)")
        }
        try await engine.check()
        return Fleet(engine)
    }

    /// Changes what readers read, on their thread, which only a test does.
    package func change(_ body: @Sendable (any KeptMessages) -> Bool) async -> Bool {
        await engine.change(body)
    }

    /// Returns the states of devices, and follows their changes.
    ///
    /// The events begin with all states that the broker has or, with positions, the changes since; then follows
    /// `FleetEvent.caughtUp`.
    ///
    /// ```swift
    /// for try await event in try await fleet.events() { print(event) }
    /// ```
    ///
    /// - Parameters:
    ///   - devices: Names, and patterns in which `*` stands for any characters; none means all devices.
    ///   - aspects: Aspects, published names and patterns; none means all.
    ///   - resume: The positions of earlier events, of any process.
    /// - Returns: The events; they end on release.
    /// - Throws: `FleetError` with `FleetError.Code.invalidName`.
    package func events(
        devices: [String] = [], aspects: AspectSet = [], resume: FleetPositions? = nil
    ) async throws(FleetError) -> FleetEvents {
        try await events(of: try FleetInterest(devices: devices, aspects: aspects.aspects.map(\.name)), resume: resume)
    }

    /// With `confirmsEvents`, an event counts in ``FleetEvents/positions`` only after ``FleetEvents/confirm()``.
    package func events(
        of interest: FleetInterest, resume positions: FleetPositions? = nil, confirmsEvents: Bool = false
    ) async throws(FleetError) -> FleetEvents {
        let mailbox = FleetMailbox(resumingFrom: try positions?.ledger() ?? Ledger(), confirmsEvents: confirmsEvents)
        return FleetEvents(engine, await engine.open(interest, mailbox), mailbox)
    }

    /// Disconnects from the broker; events that have arrived can still be taken.
    ///
    /// ```swift
    /// await fleet.enterBackground()
    /// // … nothing is delivered, and nothing queues …
    /// await fleet.enterForeground()  // one event for each state that has changed
    /// ```
    package func enterBackground() async {
        await engine.background()
    }

    /// Connects again after ``enterBackground()``: one event is delivered for each state that has changed.
    package func enterForeground() async {
        await engine.wake()
    }
}
