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
    private var isSaved = false
    private var hasFailed = false

    init(file: StateFile, loop: any Loop, logger: Logger, state: @escaping () -> SavedState) throws(SystemError) {
        self.file = file
        self.logger = logger
        self.state = state
        timer = try loop.timer { [weak self] in self?.save() }
    }

    /// Notes a change, before anybody is told of it.
    func stateWillBeTold() {
        guard isSaved else { return }
        isSaved = false
        attempt { () throws(SystemError) in try file.invalidate() }
        timer?.fire(after: StateFile.interval)
    }

    /// Writes the state now.
    func save() {
        isSaved = true
        attempt { () throws(SystemError) in try file.save(state()) }
    }

    /// A disk that is full costs the state over a restart, and nothing else: the bus goes on.
    private func attempt(_ body: () throws(SystemError) -> Void) {
        do throws(SystemError) {
            try body()
            hasFailed = false
        } catch {
            if !hasFailed { logger.warning("the state cannot be saved, a restart will be a new instance: \(error)") }
            hasFailed = true
        }
    }
}
