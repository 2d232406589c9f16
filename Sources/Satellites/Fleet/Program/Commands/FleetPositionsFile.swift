// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleFleet
import ReveilleFleetCore
import ReveilleSystem

/// The file of `reveille-fleet watch --state`.
final class FleetPositionsFile: Sendable {
    /// The largest file: a million states with long names.
    private static let limit = 1 << 28
    /// The pause between two saves, as a multiple of the last save's duration: large fleets take seconds.
    private static let pace: Int64 = 20

    private struct State {
        var last: FleetPositions?
        /// The time at which the next save is due, in microseconds since boot.
        var due: Int64 = 0
    }

    /// The positions that were stored at the start; `nil` for a new file.
    let stored: FleetPositions?
    private let path: String
    private let state: Lock<State>

    /// Reads a file, which may be missing but must have nothing other than positions.
    init(_ path: String) throws(Failure) {
        self.path = path
        var stored: FleetPositions?
        do {
            if let bytes = try PrivateFile.read(path, limit: Self.limit) {
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw FleetError(.positions, "the file is not UTF-8")
                }
                stored = try FleetPositions(text)
            }
        } catch let error as FleetError {
            throw Failure(.failure, "\(path): \(error); left unchanged")
        } catch let error as SystemError where error.code == EPERM || error.code == EACCES {
            throw Failure(.permission, "\(path): not a regular file of this user that can be read")
        } catch {
            throw Failure(.failure, "\(error)")
        }
        self.stored = stored
        state = Lock(State(last: stored))
    }

    /// Replaces the stored positions if a save is due or the last, and returns the time until the next is possible.
    ///
    /// The time is 0 if the positions are stored.
    func save(_ events: FleetEvents, isLast: Bool = false) throws(Failure) -> Duration {
        try state.withLock { state throws(Failure) in
            let start = Clocks.boot()
            guard isLast || start >= state.due else { return .microseconds(state.due - start) }
            let positions = events.positions
            guard positions != state.last else { return .zero }
            do throws(SystemError) {
                try PrivateFile.replace(path, with: Array(positions.text.utf8), limit: Self.limit)
            } catch {
                let isRefused = error.code == EACCES || error.code == EPERM
                throw Failure(isRefused ? .permission : .output, "\(error)")
            }
            state.last = positions
            let end = Clocks.boot()
            // Small files are stored after each batch.
            state.due = end - start < 1_000 ? end : end + Self.pace * (end - start)
            return .zero
        }
    }
}
