// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleetCore
import ReveilleSimulation
import Varlink

/// Checks that no sequence of messages makes a reader count backwards or twice, and that its positions and table
/// survive any contents of a broker and a file.
///
/// The input has lines. A line is a message `FLAGS TOPIC PAYLOAD` with one digit of flags, or `@` and a short form of a
/// state: device, aspect, instance and generation, one character each. `-` is a new connection, `<` takes an event, and
/// `!` continues from the saved positions.
enum FleetTarget {
    /// The longest step between two messages in seconds.
    private static let longestStep = 700

    static func check(_ bytes: [UInt8]) throws(Broken) {
        try checkFile(bytes)
        var input = FuzzInput(bytes)
        var reader = FuzzedReader()
        var now: Int64 = 0
        for _ in 0..<2_000 where !input.rest.isEmpty {
            let line = input.line()
            now += Int64(line.utf8.count * 31 % longestStep)
            try reader.take(line, at: now)
        }
        try reader.finish(at: now)
    }

    /// Reads the same bytes as a file of positions.
    private static func checkFile(_ bytes: [UInt8]) throws(Broken) {
        guard let ledger = ledger(String(decoding: bytes, as: UTF8.self)) else { return }
        let text = ledger.positions()
        guard let again = Self.ledger(text) else { throw Broken("written positions are read") }
        try require(again.positions() == text, "positions after they were written")
    }

    static func ledger(_ text: String) -> Ledger? {
        try? Ledger(positions: text, limit: FuzzedReader.limit)
    }
}

/// A reader, and its consumer's view.
private struct FuzzedReader {
    /// The most entries of the ledger, so that inputs fill it.
    static let limit = 40

    private struct Subject: Hashable {
        let device: DeviceID
        let aspect: String
    }

    private var ledger = Ledger(limit: limit)
    private var inbox = FleetInbox()
    private var seen: [Subject: FleetPosition] = [:]
    /// The subjects whose removal the consumer has seen: their positions may be kept.
    private var removed: Set<Subject> = []
    private var statuses: [DeviceID: DeviceStatus] = [:]
    private var states: [DeviceID: [String: DeviceEvent]] = [:]

    mutating func take(_ line: String, at now: Int64) throws(Broken) {
        switch line.utf8.first {
        case UInt8(ascii: "-"): ledger.connect()
        case UInt8(ascii: "<"): try takeEvent()
        case UInt8(ascii: "!"): try restart()
        case UInt8(ascii: "@"): takeShort(Array(line.unicodeScalars.dropFirst()), at: now)
        case let flags?:
            let words = line.dropFirst().split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
            inbox.put(
                ledger.receive(
                    words.count > 1 ? Array(words[1].utf8) : [], on: words.first.map(String.init) ?? "",
                    isRetained: flags & 1 != 0, expiry: flags & 2 != 0 ? UInt32(flags) << 20 : nil, at: now))
        case nil: break
        }
        try require(ledger.deviceCount + ledger.stateCount <= Self.limit + 1, "the ledger is bounded")
        try require(inbox.count <= 3 * 2_000, "the inbox is bounded")
    }

    private mutating func takeShort(_ letters: [Unicode.Scalar], at now: Int64) {
        guard letters.count > 3, let device = try? DeviceID("device-\(letters[0].value % 4)") else { return }
        let exponent = letters.count > 4 ? Int(letters[4].value % 53) : 0
        let generation = Int64(letters[3].value % 64) << exponent & StateMessage.generationLimit
        let state = StateMessage(
            instance: "bus-\(letters[2].value % 4)", generation: generation, changes: 0,
            changedAt: Int64(letters[0].value) << 40, value: ["level": .number(Double(letters[1].value % 3))])
        let aspect = letters[1].value % 2 == 0 ? "battery" : "proximity"
        inbox.put(
            ledger.take(state, of: device, aspect: aspect, isRetained: letters[1].value & 4 != 0, at: now))
    }

    private mutating func takeEvent() throws(Broken) {
        guard let event = inbox.take() else { return }
        ledger.noteTaken(event)
        switch event {
        case .state(let event):
            states[event.device, default: [:]][event.aspect] = event
            try check(event)
        case .removed(let removal):
            removal.aspect.map { _ = removed.insert(Subject(device: removal.device, aspect: $0)) }
        case .problem(let problem):
            let isPrintable = problem.description.unicodeScalars.allSatisfy {
                $0.properties.generalCategory != .control
            }
            try require(isPrintable, "a problem is printable: \(problem)")
        case .status(let status): statuses[status.device] = status
        case .caughtUp, .disconnected: break
        }
    }

    private mutating func check(_ event: DeviceEvent) throws(Broken) {
        let subject = Subject(device: event.device, aspect: event.aspect)
        if let changes = event.changeCount {
            let isPossible = changes > 0 || changes == 0 && removed.contains(subject)
            try require(isPossible, "a number of changes is positive: \(event)")
            let before = FleetPosition(instance: event.instance, generation: event.generation - changes)
            try requireEqual(seen[subject], before, "the changes count from what was seen")
        }
        seen[subject] = FleetPosition(instance: event.instance, generation: event.generation)
        removed.remove(subject)
    }

    /// Ends the process, and continues from the consumer's view.
    private mutating func restart() throws(Broken) {
        guard let restarted = FleetTarget.ledger(ledger.positions(without: inbox)) else {
            throw Broken("saved positions are read")
        }
        var count = 0
        for (subject, position) in seen {
            let saved = restarted.position(of: subject.aspect, of: subject.device)
            if saved == nil, removed.contains(subject) { continue }
            try requireEqual(saved, position, "a saved position")
            count += 1
        }
        try requireEqual(count, restarted.stateCount, "the number of saved positions")
        (ledger, inbox) = (restarted, FleetInbox())
    }

    /// Takes everything, closes the connection's gaps, and draws the table.
    mutating func finish(at now: Int64) throws(Broken) {
        var check = Completeness()
        var steps = 0
        loop: while true {
            steps += 1
            try require(steps <= 4 * Self.limit, "a reader stops asking")
            switch check.mark(&ledger, at: now) {
            case .ask(let page): try require(!page.isEmpty, "a page has devices")
            case .complete(let outcomes):
                for outcome in outcomes { inbox.put(outcome) }
                break loop
            }
        }
        while !inbox.isEmpty { try takeEvent() }
        try restart()
        let rows = FleetTable.rows(statuses: statuses, states: states, at: Timestamp(microseconds: .max))
        try requireEqual(rows.count, Set(statuses.keys).union(states.keys).count, "a row for each device")
        for row in rows {
            for column in FleetTable.columns { try require(!column.cell(row).isEmpty, "a cell has text") }
        }
    }
}
