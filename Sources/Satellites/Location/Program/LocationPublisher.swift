// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleLocationCore
import ReveilleSystem

/// Follows a gpsd and publishes its fixes while somebody needs them, so that the receiver can rest.
struct LocationPublisher {
    static let name: Aspect = "org.reveille.location"
    /// gpsd is restarted within seconds, and a local attempt costs little.
    private static let shortestPause: Duration = .seconds(1)
    /// The longest pause; a connection that lasts as long resets the pauses.
    private static let longestPause: Duration = .seconds(60)

    private static let busIsAvailable = "the bus is available"

    /// The subjects of messages that may repeat.
    private enum Subject {
        case gpsd, bus, line
    }

    private let device: Device
    private let endpoint: Endpoint
    private var track: Track
    private let log: SubjectLog<Subject>
    private let need: Need

    /// The end of a connection because nobody needs the location.
    private struct NotNeeded: Error {}

    init(device: Device, endpoint: Endpoint, threshold: Double, log: ProgramLog) throws {
        self.device = device
        self.endpoint = endpoint
        track = Track(threshold: threshold)
        need = try Need()
        // A working bus is not reported at first.
        self.log = SubjectLog(log, known: [.bus: Self.busIsAvailable])
    }

    /// Publishes until the bus refuses the name.
    mutating func run() async throws -> Never {
        // Reports a missing permission at once, and withdraws a value that another program has left.
        try await device.withdraw(Self.name)
        need.follow(Self.name, on: device)
        var backoff = Backoff(from: Self.shortestPause, to: Self.longestPause)
        while true {
            // The last location stays for as long as it would while the receiver is silent.
            let isNeeded = try need.wait(until: track.expiry)
            if track.expires(at: .now) { try await publish(nil) }
            guard isNeeded else { continue }
            let start = ContinuousClock.now
            do {
                try await follow()
            } catch let error as ReveilleError {
                throw error
            } catch is NotNeeded {
                log.write(.info, "nobody needs the location", about: .gpsd)
                continue
            } catch {
                log.write(.warning, "gpsd at \(endpoint) \(error); retrying", about: .gpsd)
            }
            if track.clear() { try await publish(nil) }
            if .now - start >= Self.longestPause { backoff.reset() }
            try await Task.sleep(for: backoff.next(fraction: 1))
        }
    }

    /// Publishes the fixes of one connection.
    ///
    /// Blocks its thread while nothing is received. The program has no other task.
    private mutating func follow() async throws -> Never {
        // The last location is valid until it expires, however slow the host is.
        let connection = try TCPConnection(to: endpoint, until: track.expiry)
        try connection.send(Session.watch)
        // Another program may have replaced it meanwhile.
        track.retract()
        let deadline = ContinuousClock.now + Session.greetingTime
        var session = Session()
        while true {
            let ends = [session.hasGreeted ? nil : deadline, track.expiry, need.end]
            let bytes = try connection.receive(until: ends.compactMap(\.self).min(), or: need.changes)
            guard need.isThere else { throw NotNeeded() }
            let fixes = try session.receive(bytes)
            if session.hasGreeted {
                log.write(.info, "connected to gpsd at \(endpoint)", about: .gpsd)
            } else if ContinuousClock.now >= deadline {
                throw GPSDError.silent
            }
            if let line = session.ignored {
                log.write(
                    .warning, "gpsd at \(endpoint) sent '\(line)', which is not a report; ignored", about: .line)
            }
            for (fix, receiver) in fixes {
                guard let location = track.take(fix, from: receiver, at: .now) else { continue }
                try await publish(location)
            }
            if track.expires(at: .now) { try await publish(nil) }
        }
    }

    /// Publishes a location, or withdraws it with `nil`.
    ///
    /// While the bus is unavailable, the device keeps the last location, and publishes it when the bus is back.
    private mutating func publish(_ location: Location?) async throws(ReveilleError) {
        do throws(ReveilleError) {
            if let location {
                try await device.publish(Self.name, location, whileConnected: true)
            } else {
                try await device.withdraw(Self.name)
            }
            log.write(.info, Self.busIsAvailable, about: .bus)
        } catch {
            if [.notPermitted, .invalidArgument, .notSupported].contains(error.code) { throw error }
            log.write(.warning, "\(error)", about: .bus)
            track.retract()
        }
    }
}
