// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleCore
import ReveilleSystem

/// Saves the state of the bus shortly after each change.
final class StateKeeper {
    /// The pause after a save, in durations of that save: saving takes at most a twentieth of the time.
    private static let rest: UInt64 = 19

    private let loop: any Loop
    /// The earliest time of the next save, by the boot clock.
    private var rested: UInt64 = 0
    private let file: StateFile
    private let logger: Logger
    private let state: () -> SavedState
    private var timer: (any LoopSource)?
    /// Whether the file may contain a state of this instance.
    private var isOnDisk: Bool
    private var isDue = false
    private var hasFailed = false

    /// Creates a keeper; `isOnDisk` is whether the bus was restored from the file.
    ///
    /// - Throws: `SystemError` if a timer cannot be created.
    init(
        file: StateFile, isOnDisk: Bool, loop: any Loop, logger: Logger, state: @escaping () -> SavedState
    ) throws(SystemError) {
        self.loop = loop
        self.file = file
        self.isOnDisk = isOnDisk
        self.logger = logger
        self.state = state
        timer = try loop.timer { [unowned self] in save() }
    }

    /// Notes a change before it is delivered.
    ///
    /// - Returns: Whether the bus may keep its instance. It may not if the file of an older state cannot be removed:
    ///   the next bus would restore it, and use the generations from now on a second time.
    func stateWillBeDelivered() -> Bool {
        if !isDue {
            isDue = true
            let now = loop.bootClock
            timer?.fire(after: max(StateFile.interval, .microseconds(rested > now ? rested - now : 0)))
        }
        guard isOnDisk else { return true }
        isOnDisk = false
        return attempt { () throws(SystemError) in try file.invalidate() }
    }

    /// Saves the state now, unless the file contains everything but firings of the schedule.
    func saveIfOutdated() {
        if isDue || !isOnDisk { save() }
    }

    /// Saves the state now.
    func save() {
        isDue = false
        timer?.disarm()
        let start = loop.threadClock
        if attempt({ () throws(SystemError) in try file.save(state()) }) { isOnDisk = true }
        rested = loop.bootClock + Self.rest * loop.threadTime(since: start)
    }

    /// Logs the first of several failures; after a full disk, only the positions are lost at a restart.
    private func attempt(_ body: () throws(SystemError) -> Void) -> Bool {
        do throws(SystemError) {
            try body()
            hasFailed = false
            return true
        } catch {
            if !hasFailed {
                logger.warning("the state cannot be saved, and a restart will begin a new instance: \(error)")
            }
            hasFailed = true
            return false
        }
    }
}
