// SPDX-License-Identifier: Apache-2.0

/// The order in which a reader asks a broker for its kept messages, and how the reader knows that all have arrived.
///
/// After its subscriptions, the reader sends a message to itself, the mark. All kept messages arrive before the mark. A
/// broker whose queue is full drops the mark like any other message, so the reader sends another mark when nothing else
/// arrives.
///
/// Everything is read at QoS 0: mosquitto's queue of 1,020 messages always limits QoS 1, but QoS 0 only while the
/// network is busy. The subscriptions are then repeated at QoS 1, without kept messages, for later changes.
///
/// Pure.
struct CatchUp {
    enum Effect: Hashable {
        /// Subscribe to topics at QoS 0, and report the broker's answer.
        case read([String])
        /// Subscribe to topics at QoS 1, without the messages that the broker keeps.
        case follow([String])
        case unsubscribe([String])
        /// Send the mark with this payload, and report its arrival.
        case mark([UInt8])
        /// Report a moment without messages.
        case awaitQuiet
        /// The broker does not deliver marks to this reader; the reader waits for quiet instead.
        case markIsMissing
        /// Everything that the broker kept has arrived.
        case arrived
    }

    /// The number of marks to send before the broker counts as not delivering marks: a broker that forbids them may not
    /// say so.
    static let markLimit = 3

    /// The event that the reader waits for.
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
    private var page: [String] = []
    /// The payload of the current mark, which no other client can know before, and so cannot send.
    private var payload: [UInt8] = []
    private let newPayload: () -> [UInt8]
    /// The marks since the last subscription.
    private var marks = 0
    private var isWithoutMarks = false

    /// Creates the order of some stages, at least one.
    init(_ stages: [[String]], mark: String, newPayload: @escaping () -> [UInt8] = CatchUp.nonce) {
        self.stages = stages
        topic = mark
        self.newPayload = newPayload
    }

    static func nonce() -> [UInt8] { Array(String(UInt64.random(in: .min ... .max), radix: 16).utf8) }

    mutating func start() -> [Effect] {
        step = .stage(0)
        return [.read([topic] + stages[0])]
    }

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

    mutating func ask(for topics: [String]) -> [Effect] {
        step = .page
        page = topics
        return [.read(topics)]
    }

    /// Continues when the current mark has arrived; earlier, late marks are ignored.
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

    private mutating func mark() -> [Effect] {
        step = .mark
        marks = 0
        return isWithoutMarks ? [.awaitQuiet] : sendMark()
    }

    private mutating func sendMark() -> [Effect] {
        marks += 1
        payload = newPayload()
        return [.mark(payload), .awaitQuiet]
    }

    private mutating func end() -> [Effect] {
        step = .idle
        var effects: [Effect] = []
        // A topic that also belongs to a stage must remain.
        let extra = page.filter { topic in !stages.contains { $0.contains(topic) } }
        if !extra.isEmpty { effects.append(.unsubscribe(extra)) }
        page = []
        if !isFollowing { effects += stages.map { .follow($0) } }
        isFollowing = true
        return effects + [.arrived]
    }
}
