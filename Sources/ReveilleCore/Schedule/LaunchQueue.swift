// SPDX-License-Identifier: Apache-2.0

/// The firings of entries with a command that no subscriber has received yet, and the programs to start for them.
///
/// A firing is *attended* while its name has a subscriber. If the last subscriber leaves without having received the
/// firing, a program is started, as for a firing without a subscriber. Times are microseconds since boot.
package struct LaunchQueue: Sendable {
    /// The time that a bus gives subscribers to come back after its start.
    package static let returnTime: UInt64 = 5_000_000
    /// The time that a program has to subscribe.
    package static let patience: UInt64 = 30_000_000
    /// The pauses before a program is started again; the last pause repeats.
    package static let pauses: [UInt64] = [60_000_000, 300_000_000, 1_800_000_000]
    /// The most programs that are started before other sources have their turn; each start takes about a millisecond.
    package static let startsPerTurn = 8

    /// A program whose firings have not been received.
    package struct Program: Sendable, Hashable {
        package let command: [String]
        package fileprivate(set) var waiting: [Aspect: Waiting] = [:]
        /// The names that have a subscriber.
        package fileprivate(set) var attended: Set<Aspect> = []
        /// The names whose firings have all been sent to a subscriber, which may not have read them yet.
        package fileprivate(set) var sent: Set<Aspect> = []
        /// The number of times that it was started since it last received a firing.
        package fileprivate(set) var starts = 0
        /// The time of the next start, or of the end of the patience with the last start.
        package fileprivate(set) var due: UInt64
        /// The pause after the program was found still running; it doubles each time.
        fileprivate var delay = LaunchQueue.returnTime
        /// Whether it was started and may subscribe still.
        package fileprivate(set) var isAwaited = false
        /// Whether it was still running when it was to be started.
        fileprivate var isPostponed = false

        fileprivate var unattended: [Aspect: Waiting] { waiting.filter { !attended.contains($0.key) } }
    }

    package enum Step: Sendable, Hashable {
        /// The program is to be started, with the positions before its firings.
        case start([String], positions: [Aspect: Int])
        /// The program has not subscribed in time; it is started again after a pause in microseconds.
        case lapse([String], pause: UInt64)
    }

    /// A subscriber's progress through the firings for which a program would be started.
    package struct Receipt: Sendable, Hashable {
        package var command: [String]
        package var name: Aspect
        /// The firings that are left; `nil` if all have been received.
        package var rest: Waiting?
        /// Whether ``send(_:through:)`` has returned the command.
        package var wasSent: Bool
    }

    /// The programs, by the bytes of their commands: equal strings can differ in their Unicode normalization.
    private var table: [[[UInt8]]: Program] = [:]
    private let earliest: UInt64

    package init(at now: UInt64) {
        earliest = now + Self.returnTime
    }

    package var programs: [Program] {
        table.sorted { $0.key.lexicographicallyPrecedes($1.key) { $0.lexicographicallyPrecedes($1) } }.map(\.value)
    }

    package var isEmpty: Bool { table.isEmpty }

    /// The names with firings that a subscriber has to receive.
    package var attended: Set<Aspect> { table.values.reduce(into: []) { $0.formUnion($1.attended) } }

    /// The time of the next ``step(at:)``; `nil` while there is none.
    package var next: UInt64? { table.values.filter { $0.waiting.count > $0.attended.count }.map(\.due).min() }

    /// Returns a program; `nil` if it has received everything.
    package func program(_ command: [String]) -> Program? { table[Self.key(command)] }

    private static func key(_ command: [String]) -> [[UInt8]] { command.map { Array($0.utf8) } }

    /// Adds a firing of an entry with a command; it is attended if its name has a subscriber.
    package mutating func add(_ command: [String], for firing: Waiting, isAttended: Bool, at now: UInt64) {
        let (key, name) = (Self.key(command), firing.value.name)
        var program = table[key] ?? Program(command: command, due: max(now, earliest))
        if program.waiting[name]?.add(firing) == nil { program.waiting[name] = firing }
        program.sent.remove(name)
        if isAttended { program.attended.insert(name) } else { program.attended.remove(name) }
        table[key] = program
    }

    /// Restores a program that an earlier bus started, so that it is not started again at once.
    package mutating func restore(starts: Int, of command: [String], at now: UInt64) {
        let key = Self.key(command)
        guard starts > 0, table[key] != nil else { return }
        table[key]?.starts = starts
        table[key]?.isAwaited = true
        table[key]?.due = now + Self.patience
    }

    /// Notes a subscription, which attends to the firings of its aspects.
    package mutating func attend(to aspects: AspectSet) {
        for (key, program) in table {
            table[key]?.attended.formUnion(program.waiting.keys.filter { aspects.covers($0) })
            if table[key]?.unattended.isEmpty == true { table[key]?.isAwaited = false }
        }
    }

    /// Notes that a name has no subscriber any more.
    ///
    /// The program for its firings is started: at once, if the program has received other firings since its last start.
    ///
    /// - Returns: The commands whose firings must be saved again: firings that were sent are no longer in the file.
    package mutating func desert(_ name: Aspect, at now: UInt64) -> [[String]] {
        var unread: [[String]] = []
        for (key, program) in table where program.attended.contains(name) {
            table[key]?.attended.remove(name)
            table[key]?.sent.remove(name)
            unread.append(program.command)
            guard !program.isAwaited, program.unattended.isEmpty else { continue }
            table[key]?.due = max(earliest, now + (program.starts == 0 ? 0 : Self.pause(after: program.starts)))
        }
        return unread
    }

    /// Notes that a subscriber is sent the changes of a name up to a generation.
    ///
    /// - Returns: The commands whose firings have now all been sent; each is returned once.
    package mutating func send(_ name: Aspect, through generation: Int) -> [[String]] {
        var done: [[String]] = []
        for (key, program) in table where program.waiting[name].map({ $0.through <= generation }) == true {
            if table[key]?.sent.insert(name).inserted == true { done.append(program.command) }
        }
        return done
    }

    /// Notes that a subscriber has received the changes of a name up to a generation.
    package mutating func receive(_ name: Aspect, through generation: Int) -> [Receipt] {
        var receipts: [Receipt] = []
        for (key, program) in table {
            guard let waiting = program.waiting[name], generation > waiting.before else { continue }
            var rest: Waiting?
            if generation < waiting.through {
                var left = waiting
                left.before = generation
                left.times = min(left.times, left.through - generation)
                rest = left
            } else {
                table[key]?.attended.remove(name)
            }
            let wasSent = table[key]?.sent.remove(name) != nil
            table[key]?.waiting[name] = rest
            table[key]?.starts = 0
            if table[key]?.waiting.isEmpty == true { table[key] = nil }
            receipts.append(Receipt(command: program.command, name: name, rest: rest, wasSent: wasSent))
        }
        return receipts
    }

    private static func pause(after starts: Int) -> UInt64 { pauses[min(max(0, starts - 1), pauses.count - 1)] }

    /// Notes that a program could not be started; returns the pause until the next attempt, in microseconds.
    package mutating func startFailed(_ command: [String], at now: UInt64) -> UInt64 {
        let key = Self.key(command)
        guard let program = table[key] else { return 0 }
        let pause = Self.pause(after: program.starts)
        table[key]?.isAwaited = false
        table[key]?.due = now + pause
        return pause
    }

    /// Notes that a program was not started because it is still running, which does not count as an attempt.
    package mutating func postpone(_ command: [String], at now: UInt64) {
        let key = Self.key(command)
        guard let program = table[key], program.isAwaited else { return }
        table[key]?.starts = max(0, program.starts - 1)
        table[key]?.isAwaited = false
        table[key]?.isPostponed = true
        table[key]?.due = now + program.delay
        table[key]?.delay = min(2 * program.delay, Self.pauses[Self.pauses.count - 1])
    }

    /// Notes that a program has ended; its next start may have waited for this.
    package mutating func ended(_ command: [String], at now: UInt64) {
        let key = Self.key(command)
        guard table[key]?.isPostponed == true else { return }
        table[key]?.isPostponed = false
        table[key]?.due = max(now, earliest)
    }

    package mutating func step(at now: UInt64) -> Step? {
        let due = table.filter { $0.value.due <= now && $0.value.waiting.count > $0.value.attended.count }
        guard let (key, program) = due.min(by: { $0.value.due < $1.value.due }) else { return nil }
        if program.isAwaited { return .lapse(program.command, pause: startFailed(program.command, at: now)) }
        table[key]?.starts += 1
        table[key]?.isAwaited = true
        table[key]?.isPostponed = false
        table[key]?.due = now + Self.patience
        return .start(program.command, positions: program.unattended.mapValues(\.before))
    }
}
