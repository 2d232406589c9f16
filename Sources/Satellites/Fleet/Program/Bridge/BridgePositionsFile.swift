// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleFleetCore
import ReveilleSystem

/// The file of a bridge's positions.
///
/// Loop thread only.
final class BridgePositionsFile {
    /// The least time between two saves, unless urgent: flash memory wears, and an older file does no harm.
    private static let pause: Duration = .seconds(5)

    private let path: String
    private let log: BridgeLog
    private let lock: FileLock?
    private var timer: EventSource?
    /// Whether a save was less than ``pause`` ago.
    private var isResting = false
    private var waiting: BridgePositions?

    init(path: String?, of device: DeviceID, on loop: EventLoop, log: BridgeLog) throws {
        // Each device has its own file, since a machine may run several bridges.
        self.path = try path ?? StatePath.usual("bridge-\(device).json", option: "--state")
        if path == nil { StatePath.createDirectories(of: self.path) }
        self.log = log
        do throws(SystemError) {
            lock = try FileLock.patiently(self.path)
        } catch {
            // Two bridges would take each other's connection to the broker over, and overwrite each other's positions.
            guard error.code != EWOULDBLOCK else {
                throw Failure(.tryAgain, "\(self.path): another bridge of \(device) uses this file")
            }
            // Saving fails too, which is reported.
            lock = nil
        }
        timer = try loop.timer { [weak self] in self?.endRest() }
    }

    /// Reads the file; `nil` if it is missing or unusable; the latter is reported.
    func load() -> BridgePositions? {
        do {
            return try PrivateFile.read(path).map { bytes throws(FleetError) in try BridgePositions(parsing: bytes) }
        } catch {
            log.write(
                .warning,
                "the positions in \(path) cannot be used, so every state is published again: \(error)",
                about: .positions)
            return nil
        }
    }

    func save(_ positions: BridgePositions, isUrgent: Bool) {
        guard isUrgent || !isResting else {
            waiting = positions
            return
        }
        waiting = nil
        isResting = true
        timer?.fire(after: Self.pause)
        do throws(SystemError) {
            try PrivateFile.replace(path, with: positions.bytes)
            log.settle(.positions)
        } catch {
            log.write(.warning, "the positions cannot be saved: \(error)", about: .positions)
        }
    }

    private func endRest() {
        isResting = false
        if let waiting { save(waiting, isUrgent: false) }
    }
}
