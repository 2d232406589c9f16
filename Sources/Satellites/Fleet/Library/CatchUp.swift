// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The order in which a reader asks a broker for what it keeps, and how it finds that everything has arrived.
///
/// After its subscriptions, the reader sends a message to itself, the mark. What the broker kept has arrived before it. A
/// broker whose queue is full drops the mark like any other message, so it is sent again when nothing else arrives.
///
/// Everything is read at QoS 0: mosquitto's queue of 1,020 messages limits the others, and these only while the network
/// is busy. Then the subscriptions are repeated at QoS 1, without what was read, for the changes that follow.
///
/// Pure.
struct CatchUp {
    /// What the reader is to do.
    enum Effect: Hashable {
        /// Subscribe to topics at QoS 0, and report the broker's answer.
        case read([String])
        /// Subscribe to topics at QoS 1, without the messages that the broker keeps.
        case follow([String])
        /// End a subscription.
        case unsubscribe([String])
        /// Send the mark with this payload, and report it when it arrives.
        case mark([UInt8])
        /// Report when nothing has arrived for a moment.
        case awaitQuiet
        /// The broker does not deliver marks to this reader, which waits for quiet instead.
        case markIsMissing
        /// Everything that the broker kept has arrived.
        case arrived
    }

    /// The marks that are sent before the broker counts as one that does not deliver them: one that forbids them may not
    /// say so.
    static let markLimit = 3

    /// What the reader waits for.
    private enum Step: Equatable {
        case idle, mark
        case stage(Int)
        case page
    }

    private let stages: [[String]]
    private let topic: String
    private var step = Step.idle
    /// Whether the subscriptions of all stages have been repeated.
    private var isFollowing = false
    /// The topics of the current page.
    private var page: [String] = []
    private var number = 0
    /// The marks since the last subscription.
    private var marks = 0
    /// Whether the broker does not deliver marks.
    private var isWithoutMarks = false

    /// Creates the order.
    ///
    /// - Parameters:
    ///   - stages: The topics, in the order in which they are to be delivered; none if nothing is read.
    ///   - mark: The topic of the mark.
    init(_ stages: [[String]], mark: String) {
        self.stages = stages
        topic = mark
    }

    /// Starts after a connection.
    mutating func start() -> [Effect] {
        guard !stages.isEmpty else { return [] }
        step = .stage(0)
        return [.read([topic] + stages[0])]
    }

    /// Continues when the broker has answered a subscription.
    mutating func subscribed() -> [Effect] {
        switch step {
        case .stage(let stage):
            guard stage + 1 < stages.count else { return mark() }
            step = .stage(stage + 1)
            return [.read(stages[stage + 1])]
        case .page: return mark()
        case .idle, .mark: return []
        }
    }

    /// Asks for topics again whose messages were lost.
    mutating func ask(for topics: [String]) -> [Effect] {
        step = .page
        page = topics
        return [.read(topics)]
    }

    /// Continues when a mark has arrived, unless it is an earlier one that comes late.
    mutating func markArrived(_ bytes: [UInt8]) -> [Effect] {
        step == .mark && bytes == payload ? end() : []
    }

    /// Continues when nothing has arrived for a moment.
    mutating func isQuiet() -> [Effect] {
        guard step == .mark else { return [] }
        if isWithoutMarks { return end() }
        guard marks == Self.markLimit else { return sendMark() }
        isWithoutMarks = true
        return [.markIsMissing] + end()
    }

    private var payload: [UInt8] { Array(String(number).utf8) }

    private mutating func mark() -> [Effect] {
        step = .mark
        marks = 0
        return isWithoutMarks ? [.awaitQuiet] : sendMark()
    }

    private mutating func sendMark() -> [Effect] {
        marks += 1
        number += 1
        return [.mark(payload), .awaitQuiet]
    }

    private mutating func end() -> [Effect] {
        step = .idle
        var effects: [Effect] = []
        // A topic that is also one of a stage must remain.
        let extra = page.filter { topic in !stages.contains { $0.contains(topic) } }
        if !extra.isEmpty { effects.append(.unsubscribe(extra)) }
        page = []
        if !isFollowing { effects += stages.map { .follow($0) } }
        isFollowing = true
        return effects + [.arrived]
    }
}
