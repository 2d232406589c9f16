// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The programs to start for firings without a subscriber, until a subscriber has come.
///
/// Times are microseconds since boot.
package struct LaunchQueue: Sendable {
    /// The time that a bus gives subscribers to come back after its start.
    package static let returnTime: UInt64 = 5_000_000
    /// The time that a program has to subscribe.
    package static let patience: UInt64 = 30_000_000
    /// The pauses before a program is started again; the last one repeats.
    package static let pauses: [UInt64] = [60_000_000, 300_000_000, 1_800_000_000]

    /// The firings of a name for which a program is started.
    package struct Waiting: Sendable, Hashable {
        /// The value of the last one.
        package var value: PublishedValue
        /// The owner of the entry.
        package var user: UInt32
        /// The number of changes.
        package var times: Int
        /// The generation of the name before the first one.
        package var before: Int

        /// Creates the state of a name.
        package init(value: PublishedValue, user: UInt32, times: Int, before: Int) {
            self.value = value
            self.user = user
            self.times = times
            self.before = before
        }
    }

    /// A program that has not subscribed yet.
    package struct Program: Sendable, Hashable {
        /// The firings, by name.
        package fileprivate(set) var waiting: [Aspect: Waiting] = [:]
        /// The number of times that it was started.
        package fileprivate(set) var starts = 0
        /// The time of the next start, or of the end of the patience with the last one.
        package fileprivate(set) var due: UInt64
        /// The pause before it is started again after it was running still; it doubles each time.
        fileprivate var delay = LaunchQueue.returnTime
        /// Whether it was started and may subscribe still.
        package fileprivate(set) var isAwaited = false
    }

    /// A change of the state of a program.
    package enum Step: Sendable, Hashable {
        /// The program is to be started, with the positions before its firings.
        case start([String], positions: [Aspect: Int])
        /// The program has not subscribed in time; it is started again after a pause in microseconds.
        case lapse([String], pause: UInt64)
    }

    /// The programs, by command.
    package private(set) var programs: [[String]: Program] = [:]
    private let earliest: UInt64

    /// Creates a queue without programs, of a bus that starts now.
    package init(at now: UInt64) {
        earliest = now + Self.returnTime
    }

    /// The time of the next ``step(at:)``; `nil` while no program is awaited.
    package var next: UInt64? { programs.values.map(\.due).min() }

    /// Adds a firing without a subscriber.
    ///
    /// - Parameters:
    ///   - command: The command to start.
    ///   - firing: The firing.
    ///   - now: The time.
    package mutating func add(_ command: [String], for firing: Waiting, at now: UInt64) {
        var program = programs[command] ?? Program(due: max(now, earliest))
        var waiting = program.waiting[firing.value.name] ?? firing
        if program.waiting[firing.value.name] != nil {
            waiting.value = firing.value
            waiting.times += firing.times
        }
        program.waiting[firing.value.name] = waiting
        programs[command] = program
    }

    /// Restores a program that was started by an earlier bus, so that it is not started at once again.
    package mutating func restore(starts: Int, of command: [String], at now: UInt64) {
        guard starts > 0, programs[command] != nil else { return }
        programs[command]?.starts = starts
        programs[command]?.isAwaited = true
        programs[command]?.due = now + Self.patience
    }

    /// Notes a subscription.
    ///
    /// - Returns: The commands and names that it settles.
    package mutating func subscribed(to aspects: AspectSet) -> [(command: [String], name: Aspect)] {
        var settled: [(command: [String], name: Aspect)] = []
        for (command, program) in programs {
            let names = program.waiting.keys.filter { aspects.covers($0) }.sorted()
            guard !names.isEmpty else { continue }
            for name in names { programs[command]?.waiting[name] = nil }
            if programs[command]?.waiting.isEmpty == true { programs[command] = nil }
            settled += names.map { (command, $0) }
        }
        return settled
    }

    /// Removes a name for which a program is no longer started.
    package mutating func settle(_ name: Aspect, of command: [String]) {
        programs[command]?.waiting[name] = nil
        if programs[command]?.waiting.isEmpty == true { programs[command] = nil }
    }

    /// Notes that a program could not be started.
    ///
    /// - Returns: The pause until the next attempt, in microseconds.
    package mutating func startFailed(_ command: [String], at now: UInt64) -> UInt64 {
        guard let program = programs[command] else { return 0 }
        let pause = Self.pauses[min(max(0, program.starts - 1), Self.pauses.count - 1)]
        programs[command]?.isAwaited = false
        programs[command]?.due = now + pause
        return pause
    }

    /// Notes that a program was not started since it is still running, which is not an attempt.
    package mutating func postpone(_ command: [String], at now: UInt64) {
        guard let program = programs[command], program.isAwaited else { return }
        programs[command]?.starts = max(0, program.starts - 1)
        programs[command]?.isAwaited = false
        programs[command]?.due = now + program.delay
        programs[command]?.delay = min(2 * program.delay, Self.pauses[Self.pauses.count - 1])
    }

    /// Takes the next step that is due.
    ///
    /// - Returns: The step; `nil` if nothing is due.
    package mutating func step(at now: UInt64) -> Step? {
        let due = programs.filter { $0.value.due <= now }
        guard let (command, program) = due.min(by: { $0.value.due < $1.value.due }) else { return nil }
        if program.isAwaited { return .lapse(command, pause: startFailed(command, at: now)) }
        programs[command]?.starts += 1
        programs[command]?.isAwaited = true
        programs[command]?.due = now + Self.patience
        return .start(command, positions: program.waiting.mapValues(\.before))
    }
}
