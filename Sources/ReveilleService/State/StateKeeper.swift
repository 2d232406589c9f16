// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleCore
import ReveilleSystem

/// Saves the state of the bus a moment after it changed.
final class StateKeeper {
    private let file: StateFile
    private let logger: Logger
    private let state: () -> SavedState
    private var timer: (any LoopSource)?
    /// The file may hold a state of this instance.
    private var isOnDisk: Bool
    private var isDue = false
    private var hasFailed = false

    /// Makes a keeper.
    ///
    /// - Parameters:
    ///   - file: Where the state is kept.
    ///   - isOnDisk: It was read from there.
    ///   - loop: Has the timer.
    ///   - logger: Is told once that the state cannot be saved.
    ///   - state: What to save, asked when it is time.
    /// - Throws: `SystemError` when the loop has no room for a timer.
    init(
        file: StateFile, isOnDisk: Bool, loop: any Loop, logger: Logger, state: @escaping () -> SavedState
    ) throws(SystemError) {
        self.file = file
        self.isOnDisk = isOnDisk
        self.logger = logger
        self.state = state
        timer = try loop.timer { [weak self] in self?.save() }
    }

    /// Notes a change, before anybody is told of it.
    ///
    /// - Returns: Whether the bus may go on as this instance. It may not where the file of an older state cannot be
    ///   taken away: the next bus would find it and give the generations out again that are told from now on.
    func stateWillBeTold() -> Bool {
        if !isDue {
            isDue = true
            timer?.fire(after: StateFile.interval)
        }
        guard isOnDisk else { return true }
        isOnDisk = false
        return attempt { () throws(SystemError) in try file.invalidate() }
    }

    /// Writes the state now.
    func save() {
        isDue = false
        timer?.disarm()
        if attempt({ () throws(SystemError) in try file.save(state()) }) { isOnDisk = true }
    }

    /// A disk that is full costs the state over a restart, and nothing else: the bus goes on.
    private func attempt(_ body: () throws(SystemError) -> Void) -> Bool {
        do throws(SystemError) {
            try body()
            hasFailed = false
            return true
        } catch {
            if !hasFailed { logger.warning("the state cannot be saved, a restart will be a new instance: \(error)") }
            hasFailed = true
            return false
        }
    }
}
