// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleSystem
import ReveilleWire

/// The state of a bus at one time, as it has answered a few calls.
///
/// `reveille top` has no subscription: one would be listed among the others, and the bus would watch sensors for it.
struct TopPoll: Sendable {
    /// What to ask for beside the sources and the subscriptions.
    struct Request: Sendable {
        var histories = TopHistories()
        /// The commands that are known, by the identifiers of their subscriptions.
        var commands: [String: String] = [:]
        /// The aspects on the screen.
        var visible: Set<Aspect> = []
    }

    /// The number of processes whose command one poll looks up, so that a screen does not wait for thousands.
    private static let lookupLimit = 500
    /// The number of characters of a command that are kept: more than the widest column shows.
    private static let commandLimit = 200
    /// The number of aspects whose state one call can ask for.
    private static let stateLimit = 64

    /// The wall-clock time.
    var time: Timestamp
    /// The time in microseconds since boot.
    var clock: Int64
    /// The time that the bus took to answer.
    var cost: Duration = .zero
    var sources: [AspectSource]
    var subscribers: [Subscriber]
    var histories: TopHistories
    var commands: [String: String] = [:]

    /// Asks a bus.
    ///
    /// - Throws: `ReveilleError` if the bus is gone or does not answer.
    static func take(from device: Device, _ request: Request) async throws -> TopPoll {
        let start = Clocks.boot()
        async let sourceList = device.sources()
        async let subscriberList = device.subscribers()
        let sources = try await sourceList
        let subscribers = try await subscriberList
        var histories = request.histories
        let questions = histories.questions(about: sources.map(\.aspect), visible: request.visible)
        let isFirst = try await ask(questions, device, &histories)
        if isFirst { try await askForStates(sources.filter(\.isAvailable).map(\.aspect), device, &histories) }
        let end = Clocks.boot()
        return TopPoll(
            time: Timestamp(microseconds: Clocks.wall()), clock: end, cost: .microseconds(end - start),
            sources: sources, subscribers: subscribers, histories: histories,
            commands: commands(of: subscribers, known: request.commands))
    }

    /// Asks for histories, and returns whether this is the first poll of an instance of the bus.
    private static func ask(
        _ questions: [TopHistories.Question], _ device: Device, _ histories: inout TopHistories
    ) async throws -> Bool {
        let before = histories.instance
        var further: [TopHistories.Question] = []
        for (question, reply) in try await replies(to: questions, device) {
            if let more = histories.followUp(to: question, reply.events, of: reply.instance) {
                further.append(more)
            } else {
                histories.note(reply.events, of: question.aspect, instance: reply.instance, at: Clocks.boot())
            }
        }
        for (question, reply) in try await replies(to: further, device) {
            histories.note(reply.events, of: question.aspect, instance: reply.instance, at: Clocks.boot())
        }
        return histories.instance != before
    }

    /// Sends all calls at once, which wakes the bus once, and returns their replies.
    private static func replies(
        to questions: [TopHistories.Question], _ device: Device
    ) async throws -> [(TopHistories.Question, EventsReply)] {
        try await withThrowingTaskGroup { group in
            for question in questions {
                group.addTask { (question, try await device.historyReply(of: question.aspect, limit: question.limit)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Asks once for the states of aspects that have not changed yet, for which sensors that are not watched are read.
    private static func askForStates(
        _ aspects: [Aspect], _ device: Device, _ histories: inout TopHistories
    ) async throws {
        let unknown = aspects.filter { $0 != .lifecycle && histories.last(of: $0) == nil }.prefix(stateLimit)
        guard !unknown.isEmpty, let instance = histories.instance else { return }
        histories.note(states: try await device.states(of: AspectSet(Array(unknown))), instance: instance)
    }

    private static func commands(of subscribers: [Subscriber], known: [String: String]) -> [String: String] {
        var commands: [String: String] = [:]
        var left = lookupLimit
        for subscriber in subscribers {
            if let command = known[subscriber.id] {
                commands[subscriber.id] = command
            } else if left > 0 {
                left -= 1
                commands[subscriber.id] = command(of: subscriber.processID)
            }
        }
        return commands
    }

    /// Returns the command line of a process with the program's name instead of its path; `nil` if it is unknown.
    private static func command(of pid: Int32) -> String? {
        guard pid > 0, let arguments = ServingProcess.arguments(of: pid), let program = arguments.first,
            !program.isEmpty
        else { return nil }
        let name = program.split(separator: "/").last.map(String.init) ?? program
        // The last argument ends in a NUL too.
        return String(([name] + arguments.dropFirst().dropLast()).joined(separator: " ").prefix(commandLimit))
    }
}
