// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleFleetCore
import ReveilleSystem

/// The file of `reveille-fleet watch --state`.
struct FleetPositionsFile: Sendable {
    /// The largest file: a million states with long names.
    private static let limit = 1 << 28
    /// The pause between two saves, as a multiple of the last save's duration: large fleets take seconds.
    private static let pace: Int64 = 20

    let path: String
    private var last: String?
    /// The time at which the next save is due, in microseconds since boot.
    private var due: Int64 = 0

    init(_ path: String) { self.path = path }

    /// Reads the file, which may be missing but must have nothing other than positions.
    mutating func read() throws(Failure) -> Ledger? {
        do {
            guard let bytes = try PrivateFile.read(path, limit: Self.limit) else { return nil }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw FleetError(.positions, "the file is not UTF-8")
            }
            last = text
            return try Ledger(positions: text)
        } catch let error as FleetError {
            throw Failure(.failure, "\(path): \(error); left unchanged")
        } catch let error as SystemError where error.code == EPERM || error.code == EACCES {
            throw Failure(.permission, "\(path): not a regular file of this user that can be read")
        } catch {
            throw Failure(.failure, "\(error)")
        }
    }

    /// Replaces the stored positions if a save is due or the last, and returns the time until the next is possible.
    ///
    /// The time is 0 if the positions are stored.
    mutating func save(_ positions: @autoclosure () -> String, isLast: Bool) throws(Failure) -> Duration {
        let start = Clocks.boot()
        guard isLast || start >= due else { return .microseconds(due - start) }
        let positions = positions()
        guard positions != last else { return .zero }
        do throws(SystemError) {
            try PrivateFile.replace(path, with: Array(positions.utf8), limit: Self.limit)
        } catch {
            let isRefused = error.code == EACCES || error.code == EPERM
            throw Failure(isRefused ? .permission : .output, "\(error)")
        }
        last = positions
        let end = Clocks.boot()
        // Small files are stored after each batch.
        due = end - start < 1_000 ? end : end + Self.pace * (end - start)
        return .zero
    }
}
