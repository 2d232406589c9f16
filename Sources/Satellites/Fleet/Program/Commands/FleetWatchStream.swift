// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleCore
import ReveilleFleet
import ReveilleFleetCore
import ReveilleSystem

/// The events of `reveille-fleet watch` and their output; safe to use from any thread.
///
/// The reader has a thread of its own: it must read from the broker even while the output is blocked, because brokers
/// drop messages for clients that do not read.
final class FleetWatchStream: Sendable {
    /// The size in bytes at which a batch of lines is printed: the capacity of a pipe.
    ///
    /// If the process is killed while a slow reader delays the output, the next process prints the whole batch again.
    private static let batchSize = 64 << 10

    /// The most events to take before printing: the options decide how many of them are printed.
    private static let batchLimit = 1_000

    /// The number of printed events.
    let counted = Lock(0)
    private let command: FleetWatchCommand
    private let broker: FleetBroker
    private let interest: FleetInterest
    private let log: ProgramLog
    private let mailbox: FleetMailbox
    /// The file of positions, and whether it had any at the start.
    private let file: Lock<FleetPositionsFile>?
    private let isResumed: Bool
    /// Whether all states at the start have been taken.
    private let isComplete = Lock(false)
    /// Whether a later save is planned.
    private let isSaveDue = Lock(false)

    init(_ command: FleetWatchCommand) throws {
        self.command = command
        broker = try command.broker.fleet()
        log = try command.logging.log(of: FleetCommand.name)
        interest = try FleetInterest(devices: command.devices, aspects: command.aspects)
        var file = command.state.map(FleetPositionsFile.init)
        let ledger = try file?.read()
        isResumed = ledger != nil
        mailbox = FleetMailbox(resumingFrom: ledger ?? Ledger(), confirmsEvents: file != nil)
        self.file = file.map { Lock($0) }
    }

    /// Prints events until the count is reached.
    func run() async throws {
        let follower = try FleetFollower(broker, interest: interest, into: mailbox)
        await follower.start()
        let printsAll = command.initial || Console.isInteractive
        // A device that is not in the file is new, and so are its states.
        var output = WatchOutput(command, skipsStates: !printsAll && !isResumed, skipsStatuses: !printsAll)
        let limit = command.limits.count ?? .max
        while counted.withLock({ $0 }) < limit, let first = try await mailbox.next(isolation: nil) {
            var (next, count): (FleetEvent?, Int) = (first, 0)
            while let event = next {
                try note(event, &output)
                count += 1
                let isFull =
                    count == Self.batchLimit || output.size >= (file == nil ? 1 : Self.batchSize)
                    || counted.withLock { $0 } + output.lines.count >= limit
                next = isFull ? nil : try mailbox.nextIfDue()
            }
            let lines = output.take()
            if !lines.isEmpty { try Console.line(printable: lines.joined(separator: "\n")) }
            counted.withLock { $0 += lines.count }
            // Not before: the next process prints the events that a killed one has not printed.
            mailbox.confirm()
            try saveSoon()
        }
        withExtendedLifetime(follower) {}
    }

    /// Saves the printed positions, now or as soon as a save is due.
    private func saveSoon() throws(Failure) {
        let pause = try save()
        let isFirst = isSaveDue.withLock { isDue in
            defer { isDue = isDue || pause > .zero }
            return pause > .zero && !isDue
        }
        guard isFirst else { return }
        Task {
            try await Task.sleep(for: pause)
            isSaveDue.withLock { $0 = false }
            // If this fails, the save at the end fails too, and reports the reason.
            try saveSoon()
        }
    }

    /// Saves the positions of everything printed; another process may have newer ones if nothing was.
    func end() throws {
        if mailbox.hasConnected { _ = try save(isLast: true) }
    }

    /// Saves the printed positions if possible, and returns the time until a save is due.
    private func save(isLast: Bool = false) throws(Failure) -> Duration {
        // The next run takes states that are missing from the file for states of new devices.
        guard let file, isComplete.withLock({ $0 }) || isResumed else { return .zero }
        return try file.withLock { file throws(Failure) in try file.save(mailbox.positions, isLast: isLast) }
    }

    /// Adds the line of an event, or reports it on stderr.
    private func note(_ event: FleetEvent, _ output: inout WatchOutput) throws(FleetError) {
        switch event {
        case .state, .status, .removed: output.add(event)
        // The lines of such a device have no time.
        case .problem(.unknownTime(let device)): log.write(.info, "\(FleetProblem.unknownTime(device))")
        case .problem(let problem): log.write(.warning, "\(problem)")
        case .disconnected(let error):
            // The person who starts this learns at once that the address or a certificate is wrong.
            guard mailbox.hasConnected else { throw error }
            if !output.isLost { log.write(.warning, "\(error); waiting for the broker to return") }
            output.isLost = true
        case .caughtUp:
            if output.isLost { log.write(.notice, "reconnected to \(broker)") }
            output.isLost = false
            (output.skipsStates, output.skipsStatuses) = (false, false)
            isComplete.withLock { $0 = true }
        }
    }
}

/// The lines of events that are printed together.
private struct WatchOutput {
    private let command: FleetWatchCommand
    /// Whether the current states are skipped, until all have arrived.
    var skipsStates: Bool
    /// Whether the current statuses are skipped, until all have arrived.
    var skipsStatuses: Bool
    /// Whether the loss of the broker was reported.
    var isLost = false
    private(set) var lines: [String] = []
    private(set) var size = 0
    private var column: Int?
    /// The last status in words of each device.
    private var lastStatuses: [DeviceID: String] = [:]

    init(_ command: FleetWatchCommand, skipsStates: Bool, skipsStatuses: Bool) {
        self.command = command
        self.skipsStatuses = skipsStatuses
        self.skipsStates = skipsStates
    }

    mutating func take() -> [String] {
        defer { (lines, size) = ([], 0) }
        return lines
    }

    mutating func add(_ event: FleetEvent) {
        guard let line = line(event) else { return }
        lines.append(line)
        size += line.utf8.count + 1
    }

    private mutating func line(_ event: FleetEvent) -> String? {
        switch event {
        case .state(let state):
            // A previously seen state has changed while this program was away.
            if skipsStates, state.changeCount == nil, !state.isNewInstance { return nil }
            return command.json
                ? state.json.printable
                : text(state.device, FleetEventText.time(state.changedAt, withDate: command.date)) {
                    FleetEventText.line(state, column: $0)
                }
        case .status(let status):
            if skipsStatuses { return nil }
            if command.json { return status.json.printable }
            // Most statuses differ only in their aspects, whose states have lines of their own.
            let words = FleetEventText.state(of: status)
            guard words != lastStatuses.updateValue(words, forKey: status.device) else { return nil }
            return text(status.device, noTime) { FleetEventText.line(status, column: $0) }
        case .removed(let removal):
            if removal.aspect == nil { lastStatuses[removal.device] = nil }
            return command.json
                ? removal.json.printable : text(removal.device, noTime) { FleetEventText.line(removal, column: $0) }
        case .problem, .caughtUp, .disconnected: return nil
        }
    }

    private var noTime: StyledText { FleetEventText.time(nil, withDate: command.date, isState: false) }

    private mutating func text(_ device: DeviceID, _ time: StyledText, _ line: (Int) -> StyledText) -> String {
        let width = FleetEventText.column(column, with: device)
        column = width
        return (time + line(width)).rendered
    }
}
