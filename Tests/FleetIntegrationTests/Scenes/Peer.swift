// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import ReveilleMQTT
import ReveilleSystem

/// Connections on a loop of their own, and what they reported.
actor Peer {
    private let thread: LoopThread
    private var connection: MQTTConnection?
    private var events: [MQTTConnection.Event] = []
    private var waiter: CheckedContinuation<Void, Never>?
    private var timer: EventSource?
    /// Called with each event on the loop, to act within it.
    private var reaction: ((MQTTConnection?, MQTTConnection.Event) -> Void)?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private static let patience: Duration = .seconds(60)
    /// The time for a connection: a broker that is part of a test answers when other tests leave it a thread.
    private static let connectPatience: Duration = .seconds(240)

    init() throws {
        thread = try LoopThread()
    }

    // The connection and the timer are released on their thread.
    isolated deinit {}

    /// Starts to connect in place of an earlier connection.
    func open(
        _ options: MQTTConnection.Options, patience: Duration = connectPatience,
        reaction: (@Sendable (MQTTConnection?, MQTTConnection.Event) -> Void)? = nil
    ) throws {
        events = []
        self.reaction = reaction
        var options = options
        // What a test shortens stays.
        if options.answerPatience >= .seconds(30) { options.answerPatience = Self.connectPatience }
        connection = try MQTTConnection(options, on: thread.loop, patience: patience) { [weak self] event in
            self?.assumeIsolated { $0.take(event) }
        }
    }

    /// Connects, and returns whether the broker knows the session.
    @discardableResult
    func connect(_ options: MQTTConnection.Options) async throws -> Bool {
        try open(options)
        return try await next("an answer") { event in
            switch event {
            case .connected(let sessionPresent): sessionPresent
            case .ended(let error): throw error
            default: nil
            }
        }
    }

    private func take(_ event: MQTTConnection.Event) {
        events.append(event)
        reaction?(connection, event)
        wake()
    }

    /// Waits for an event that a closure accepts, and forgets it.
    func next<Result: Sendable>(
        _ what: String, _ accept: @Sendable (MQTTConnection.Event) throws -> Result?
    ) async throws -> Result {
        if timer == nil { timer = try thread.loop.timer { [weak self] in self?.assumeIsolated { $0.timeIsOver() } } }
        isLate = false
        timer?.fire(after: Self.patience)
        while true {
            for (index, event) in events.enumerated() {
                guard let result = try accept(event) else { continue }
                events.remove(at: index)
                timer?.disarm()
                return result
            }
            guard !isLate else { throw Trouble("waited for \(what), got \(events)") }
            await withCheckedContinuation { waiter = $0 }
        }
    }

    private func wake() {
        waiter?.resume()
        waiter = nil
    }

    private var isLate = false

    private func timeIsOver() {
        isLate = true
        wake()
    }

    func end() async throws -> MQTTError {
        try await next("the end") { if case .ended(let error) = $0 { error } else { nil } }
    }

    /// The words for a port that nobody listens on; libmosquitto 2.1 does not give the reason.
    static func refusals(by broker: FleetBroker) -> [String] {
        ["Connection refused", "the broker cannot be reached"].map { "connecting to \(broker): \($0)" }
    }

    /// Waits for the end, or returns the error with which opening failed.
    func failure(
        _ options: MQTTConnection.Options, patience: Duration = connectPatience
    ) async throws -> MQTTError {
        do {
            try open(options, patience: patience)
        } catch let error as MQTTError {
            return error
        }
        return try await end()
    }

    /// Publishes, and waits for the acknowledgement; returns the refusal.
    @discardableResult
    func publish(
        _ text: String, to topic: String, retain: Bool = true, expiry: UInt32? = nil
    ) async throws -> String? {
        guard let connection else { throw Trouble("not connected") }
        let identifier = connection.publish(Array(text.utf8), to: topic, retain: retain, expiry: expiry)
        return try await next("an acknowledgement") { event -> String?? in
            switch event {
            case .acknowledged(identifier, let refusal, _): refusal
            case .ended(let error): throw error
            default: nil
            }
        }
    }

    @discardableResult
    func subscribe(_ filters: String..., qos: Int32 = 1) async throws -> [UInt8] {
        guard let connection else { throw Trouble("not connected") }
        let identifier = connection.subscribe(to: filters, qos: qos)
        return try await next("a subscription") { event in
            if case .subscribed(identifier, let codes) = event { codes } else { nil }
        }
    }

    func message() async throws -> Received {
        try await next("a message") { event in
            guard case .message(let topic, let payload, let isRetained, let expiry) = event else { return nil }
            return Received(
                topic: topic, text: String(decoding: payload, as: UTF8.self), isRetained: isRetained, expiry: expiry)
        }
    }

    /// The topics of all messages that have arrived and were not waited for.
    var topics: Set<String> {
        Set(events.compactMap { if case .message(let topic, _, _, _) = $0 { topic } else { nil } })
    }

    @discardableResult
    func act<Result: Sendable>(_ body: @Sendable (MQTTConnection?) throws -> Result) rethrows -> Result {
        try body(connection)
    }

    func release() {
        connection = nil
    }

    struct Received: Sendable, Hashable {
        var topic: String
        var text: String
        var isRetained: Bool
        var expiry: UInt32?
    }
}
