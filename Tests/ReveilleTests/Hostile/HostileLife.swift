// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleLink
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting

@testable import Reveille

/// A program that uses the whole library on a hostile bus, reproducible by its seed except for the order of threads.
struct HostileLife {
    /// Short time limits, because a test runs many lives in a few seconds.
    static var patience: Patience {
        var patience = Patience()
        patience.connect = .milliseconds(40)
        patience.answer = .milliseconds(60)
        patience.steady = .milliseconds(20)
        return patience
    }

    /// The names that hostile lives publish.
    static let names: [Aspect] = ["org.example.a", "org.example.b", "org.example.c.d"]

    private static let steps = 16
    private static let patterns: [Aspect] = ["org.*", "org.example.*", "org.example.c.*"]
    private static let intervals: [Duration?] = [nil, nil, nil, .milliseconds(1), .seconds(1), .zero]
    private static let backgrounds: [Policy.Background] = [
        .coalesce, .drop, .immediate, .hold(limit: 1), .hold(limit: 3), .hold(limit: 0), .hold(limit: .min),
    ]

    private var random: SplitMix64
    private let device: Device
    private var consumers: [HostileConsumer] = []
    private var observations: [ObservationToken] = []

    /// Runs a life, and returns the events that were wrongly delivered in the background.
    static func live(seed: UInt64, on address: String) async -> [String] {
        // With some seeds the bus refuses the connection.
        guard let device = try? await Device.connect(to: address, patience: patience) else { return [] }
        var life = HostileLife(random: SplitMix64(seed: seed), device: device)
        for _ in 0..<steps { try? await life.step() }
        return await life.end()
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    private mutating func step() async throws {
        let aspect = pick(Aspect.device + Self.names + Self.patterns)
        switch Int.random(in: 0..<20, using: &random) {
        case 0...2: try await subscribe()
        case 3:
            observations.append(
                try await device.observeConcurrently(aspect, options: SubscriptionOptions(initial: true)) { _ in })
        case 4: _ = try await device.monitor(.proximity)
        case 5: _ = await device.withBackgroundTask("task") { await $0.remaining }
        case 6...7: try await pickConsumer()?.enterBackground()
        case 8: try await pickConsumer()?.enterForeground()
        case 9...10:
            for consumer in consumers { consumer.forgetBackground() }
            if Bool.random(using: &random) { try await device.enterForeground() }
            try await device.enterBackground(wakeAfter: .milliseconds(1))
        case 11: _ = try await (device.getAll(Set(Aspect.device)), device.historyReply(of: aspect, limit: nil))
        case 12:
            _ = try await (device.shell.subscriptions(), device.aspects())
            var changes = device.shell.subscriptionChanges().makeAsyncIterator()
            _ = try await changes.next()
        case 13: try await device.post(.proximity(.near))
        case 14...15:
            try await device.publish(
                PublishedName(pick(Self.names)), ["level": Double.random(in: 0...1, using: &random)],
                whileConnected: Bool.random(using: &random))
        case 16: try await device.withdraw(PublishedName<[String: Int]>(pick(Self.names)))
        case 17: _ = try await device.value(of: PublishedName<Volume>(pick(Self.names)))
        case 18: try await device.shell.hold("0000000000000001", wakeAfter: .seconds(1))
        default: if !consumers.isEmpty { consumers.removeLast().cancel() }
        }
    }

    private mutating func pickConsumer() -> HostileConsumer? {
        consumers.isEmpty ? nil : pick(consumers)
    }

    private mutating func subscribe() async throws {
        var policies: [Aspect: Policy] = [:]
        let names = Self.names.filter { _ in Bool.random(using: &random) } + [pick(Self.patterns)]
        let interval = pick(Self.intervals)
        for aspect in Aspect.device + names where Bool.random(using: &random) {
            policies[aspect] = Policy(
                background: pick(Self.backgrounds), netChangeOnly: Bool.random(using: &random), interval: interval)
        }
        let positions = Positions(
            instance: pick(["i", "j"]),
            generations: [.battery: pick([0, -1, .max, .min]), Self.names[0]: pick([0, 1, .max, .min])])
        let request = SubscriptionRequest(aspects: AspectSet.default.union(AspectSet(names)), policies: policies)
        let initial = Bool.random(using: &random)
        let subscription = try await device.subscribe(
            to: Set(request.aspects.aspects),
            options: SubscriptionOptions(
                initial: initial, policies: policies, resume: Bool.random(using: &random) ? positions : nil))
        consumers.append(HostileConsumer(subscription, request, wantsStates: initial))
    }

    private mutating func end() async -> [String] {
        for consumer in consumers { consumer.cancel() }
        for observation in observations { observation.cancel() }
        var faults: [String] = []
        for consumer in consumers { faults += await consumer.faults }
        return faults
    }
}

/// A consumer that reads all events and records events wrongly delivered in the background.
final class HostileConsumer: Sendable {
    private struct State {
        /// The number of the current background; `nil` unless the consumer is certainly in one.
        var background: Int?
        var last = 0
        var faults: [String] = []
    }

    private let subscription: Subscription
    private let state = Lock(State())
    private let task: Lock<Task<Void, Never>?> = Lock(nil)

    init(_ subscription: Subscription, _ request: SubscriptionRequest, wantsStates: Bool) {
        self.subscription = subscription
        let policies = PolicyTable(request.policies, of: request.aspects)
        let task = Task { [self] in
            while true {
                let before = state.withLock { $0.background }
                guard let event = try? await subscription.next() else { return }
                let isAnswer = event.changeCount == 0 && wantsStates
                let isHeld = !isAnswer && policies[event.aspect].background != .immediate
                state.withLock { state in
                    // The event was both requested and delivered in the same background.
                    if isHeld, before != nil, before == state.background { state.faults.append("\(event)") }
                }
            }
        }
        self.task.withLock { $0 = task }
    }

    func enterBackground() async throws {
        try await subscription.enterBackground()
        state.withLock { state in
            state.last += 1
            state.background = state.last
        }
    }

    func enterForeground() async throws {
        forgetBackground()
        try await subscription.enterForeground()
    }

    func forgetBackground() {
        state.withLock { $0.background = nil }
    }

    func cancel() {
        subscription.cancel()
    }

    var faults: [String] {
        get async {
            await task.withLock({ $0 })?.value
            return state.withLock { $0.faults }
        }
    }
}
