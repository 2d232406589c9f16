// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem

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
    /// Whether there may be a file, from this instance or, after a failed start, from an earlier instance.
    private var isOnDisk = true
    private var isDue = false
    private var hasFailed = false

    init(
        file: StateFile, loop: any Loop, logger: Logger, state: @escaping () -> SavedState
    ) throws(SystemError) {
        self.loop = loop
        self.file = file
        self.logger = logger
        self.state = state
        timer = try loop.timer(handler: weakly(self) { $0.save() })
    }

    /// Notes a change before it is delivered.
    ///
    /// - Returns: Whether the bus may keep its instance. It may not if the file of an older state cannot be removed:
    ///   the next bus would restore that state and use later generations a second time.
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

    /// Saves the state, or removes it on failure, before the schedule's file drops the firings that followed it.
    ///
    /// - Returns: Whether no outdated state remains.
    @discardableResult
    func settle() -> Bool {
        if save() { return true }
        guard attempt({ () throws(SystemError) in try file.invalidate() }) else { return false }
        isOnDisk = false
        return true
    }

    /// Saves the state now, and returns whether it is saved; otherwise, the file is as before.
    @discardableResult
    func save() -> Bool {
        isDue = false
        timer?.disarm()
        let start = loop.threadClock
        let isSaved = attempt { () throws(SystemError) in try file.save(state()) }
        if isSaved { (isOnDisk, hasFailed) = (true, false) }
        rested = loop.bootClock + Self.rest * loop.threadTime(since: start)
        return isSaved
    }

    /// Logs the first of several failures; after a full disk, only the positions are lost at a restart.
    private func attempt(_ body: () throws(SystemError) -> Void) -> Bool {
        do throws(SystemError) {
            try body()
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
