// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore
import ReveilleLink
import ReveilleLocationCore
import ReveilleSystem

/// Follows a gpsd and publishes its fixes while somebody needs them, so that the receiver can rest; loop thread only.
final class LocationPublisher {
    static let name: Aspect = "org.reveille.location"
    /// How long the receiver goes on when nobody needs it, for programs that come right back, as after a restart of the bus.
    private static let linger: Duration = .seconds(5)
    /// gpsd is restarted within seconds, and a local attempt costs little.
    private static let shortestPause: Duration = .seconds(1)
    /// The longest pause; a connection that lasts as long resets the pauses.
    private static let longestPause: Duration = .seconds(60)
    private static let busIsAvailable = "the bus is available"

    private typealias Instant = ContinuousClock.Instant

    /// The subjects of messages that may repeat.
    private enum Subject {
        case gpsd, bus, line
    }

    private enum Phase {
        case resting
        case connecting(any DetachedWork)
        case connected(TCPConnection, any LoopSource, Session, since: Instant)
        case pausing(until: Instant)
    }

    private let endpoint: Endpoint
    private let loop: EventLoop
    private let log: SubjectLog<Subject>
    private var link: PublisherLink?
    private var timer: EventSource?
    private var phase = Phase.resting
    private var backoff = Backoff(from: shortestPause, to: longestPause)
    private var track: Track
    /// When the receiver may rest; `nil` while somebody needs the location.
    private var rest: Instant? = .now
    /// The location, for a bus that comes back.
    private var location: Location?
    /// Why the bus does not take the location, which ends the loop.
    private(set) var refusal: ReveilleError?

    init(
        _ endpoint: Endpoint, threshold: Double, on loop: EventLoop, to connector: Connector, log: ProgramLog
    ) throws(SystemError) {
        self.endpoint = endpoint
        self.loop = loop
        // A working bus is not reported at first.
        self.log = SubjectLog(log, known: [.bus: Self.busIsAvailable])
        track = Track(threshold: threshold)
        timer = try loop.timer { [unowned self] in proceed() }
        link = try PublisherLink(AspectSet(Self.name), connector) { [unowned self] in take($0) }
    }

    func start() { link?.open() }

    // MARK: - The bus

    private func take(_ event: PublisherLink.Event) {
        switch event {
        case .demands(let demands):
            rest = demands[Self.name] == true ? nil : rest ?? .now + Self.linger
            log.write(.info, Self.busIsAvailable, about: .bus)
            // The bus may have been replaced.
            if let location { publish(location) }
            proceed()
        case .lost(let error): log.write(.warning, "\(error)", about: .bus)
        }
    }

    /// Publishes a location for as long as the program is connected, or withdraws it with `nil`.
    private func publish(_ location: Location?) {
        self.location = location
        do throws(ReveilleError) {
            let value =
                if let location {
                    try PublishedValue(Self.name, encoding: location)
                } else {
                    try PublishedValue(withdrawing: Self.name)
                }
            link?.publish(value) { [unowned self] error in
                if let error { refuse(ReveilleError(answered: error, to: "Publish")) }
            }
        } catch {
            refuse(error)
        }
    }

    private func refuse(_ error: ReveilleError) {
        log.write(.warning, "\(error)", about: .bus)
        track.retract()
        guard [.notPermitted, .invalidArgument, .notSupported].contains(error.code) else { return }
        refusal = error
        loop.exit()
    }

    // MARK: - gpsd

    /// Takes the steps that are due, and sets the timer for the next one.
    private func proceed() {
        // The last location stays for as long as it would while the receiver is silent.
        if track.expires(at: .now) { publish(nil) }
        let isNeeded = rest.map { $0 > .now } ?? true
        if case .pausing(let end) = phase, end <= .now { phase = .resting }
        switch phase {
        case .resting where isNeeded: connect()
        case .connecting where !isNeeded, .connected where !isNeeded:
            disconnect(.resting)
            log.write(.info, "nobody needs the location", about: .gpsd)
        case .connected(_, _, let session, let since)
        where !session.hasGreeted && since + Session.greetingTime <= .now:
            fail("\(GPSDError.silent)")
        default: break
        }
        let ends: [Instant?] =
            switch phase {
            case .resting: []
            case .connecting: [rest]
            case .connected(_, _, let session, let since):
                [rest, session.hasGreeted ? nil : since + Session.greetingTime]
            case .pausing(let end): [end]
            }
        guard let end = (ends + [track.expiry]).compactMap(\.self).min() else { return timer?.disarm() ?? () }
        timer?.fire(after: max(.zero, end - .now))
    }

    private func connect() {
        let outcome = Lock<Result<TCPConnection, TCPConnection.Failure>?>(nil)
        do throws(SystemError) {
            // Looking up the host's name may take long.
            let work = try loop.detach { [endpoint] in
                let result = Result { () throws(TCPConnection.Failure) in try TCPConnection(to: endpoint) }
                outcome.withLock { $0 = result }
            } then: { [unowned self] in
                attempt { if let connection = try outcome.withLock({ $0 })?.get() { try begin(connection) } }
            }
            phase = .connecting(work)
        } catch {
            fail("cannot be reached: \(error)")
        }
    }

    private func begin(_ connection: TCPConnection) throws {
        let source = try loop.watch(connection.number, for: .readable) { [unowned self] _ in
            attempt { try receive() }
        }
        phase = .connected(connection, source, Session(), since: .now)
        // Another program may have replaced it meanwhile.
        track.retract()
        try connection.send(Session.watch)
    }

    private func receive() throws {
        guard case .connected(let connection, let source, var session, let since) = phase else { return }
        let fixes = try session.receive(try connection.receive())
        phase = .connected(connection, source, session, since: since)
        if session.hasGreeted { log.write(.info, "connected to gpsd at \(endpoint)", about: .gpsd) }
        if let line = session.ignored {
            log.write(.warning, "gpsd at \(endpoint) sent '\(line)', which is not a report; ignored", about: .line)
        }
        for (fix, receiver) in fixes {
            if let location = track.take(fix, from: receiver, at: .now) { publish(location) }
        }
    }

    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { fail("\(error)") }
        proceed()
    }

    private func fail(_ reason: String) {
        log.write(.warning, "gpsd at \(endpoint) \(reason); retrying", about: .gpsd)
        if case .connected(_, _, _, let since) = phase, .now - since >= Self.longestPause { backoff.reset() }
        disconnect(.pausing(until: .now + backoff.next(fraction: 1)))
        if track.clear() { publish(nil) }
    }

    private func disconnect(_ next: Phase) {
        // Before its descriptor is closed.
        if case .connected(_, let source, _, _) = phase { source.cancel() }
        phase = next
    }
}
