// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleSystem
import ReveilleWire

/// The state of a bus at one time, from its replies to a few calls.
///
/// `reveille top` has no subscription: one would be listed among the others, and the bus would watch sensors for it.
struct TopPoll: Sendable {
    struct Request: Sendable {
        var before: TopPoll?
        var visible: Set<Aspect> = []
        var visibleSubscriptions: Set<String> = []
    }

    /// The number of processes whose command one poll looks up, so that a screen does not wait for thousands.
    private static let lookupLimit = 500
    /// The number of characters of a command that are kept: more than the widest column shows.
    private static let commandLimit = 200
    /// The number of polls for which the list of sources is used.
    ///
    /// The list is the most expensive reply, since the bus reads it from the devices. New subscriptions make the
    /// program ask at once.
    private static let sourcesUse = 3
    /// The number of aspects whose state one call can ask for.
    private static let stateLimit = 64

    var time: Timestamp
    /// The time in microseconds since boot.
    var clock: Int64
    /// The time that the bus took to answer.
    var cost: Duration = .zero
    var sources: [AspectInfo]
    /// The number of polls since the sources were asked for.
    var sourcesAge = 0
    var subscribers: [SubscriptionInfo]
    var histories: TopHistories
    var commands: [String: String] = [:]

    static func take(from device: Device, _ request: Request) async throws -> TopPoll {
        let start = Clocks.boot()
        let subscribers = try await device.shell.subscriptions()
        let known = request.before.flatMap { $0.isCurrent(for: subscribers) ? $0 : nil }
        let sources = if let known { known.sources } else { try await device.aspects() }
        var histories = request.before?.histories ?? TopHistories()
        let questions = histories.questions(about: sources.map(\.aspect), visible: request.visible)
        let isFirst = try await ask(questions, device, &histories)
        if isFirst { try await askForStates(sources.filter(\.isAvailable).map(\.aspect), device, &histories) }
        let end = Clocks.boot()
        return TopPoll(
            time: Timestamp(microseconds: Clocks.wall()), clock: end, cost: .microseconds(end - start),
            sources: sources, sourcesAge: known.map { $0.sourcesAge + 1 } ?? 0, subscribers: subscribers,
            histories: histories,
            commands: commands(of: subscribers, request))
    }

    /// Whether the list of sources can be used once more.
    private func isCurrent(for subscribers: [SubscriptionInfo]) -> Bool {
        sourcesAge + 1 < Self.sourcesUse && Set(self.subscribers.map(\.id)) == Set(subscribers.map(\.id))
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

    /// Asks once for the states of aspects that have not changed yet; for this, the bus reads unwatched sensors.
    private static func askForStates(
        _ aspects: [Aspect], _ device: Device, _ histories: inout TopHistories
    ) async throws {
        let unknown = aspects.filter { $0 != .lifecycle && histories.last(of: $0) == nil }.prefix(stateLimit)
        guard !unknown.isEmpty, let instance = histories.instance else { return }
        histories.note(states: try await device.getAll(Set(unknown)), instance: instance)
    }

    /// Returns the commands of subscribers: all known commands, and new ones for the screen and for some other
    /// subscribers.
    private static func commands(of subscribers: [SubscriptionInfo], _ request: Request) -> [String: String] {
        let known = request.before?.commands ?? [:]
        var commands: [String: String] = [:]
        var left = lookupLimit
        for subscriber in subscribers {
            if let command = known[subscriber.id] {
                commands[subscriber.id] = command
            } else if left > 0 || request.visibleSubscriptions.contains(subscriber.id) {
                left -= 1
                // Not tried again: a process without a command line does not get one later.
                commands[subscriber.id] = command(of: subscriber.processID) ?? "-"
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
