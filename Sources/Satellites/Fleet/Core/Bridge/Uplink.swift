// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

/// The path of a device's states from its bus to the broker.
///
/// While the broker is away, the subscription on the bus is in the background, so nothing queues. Each aspect has at
/// most one unacknowledged state, and at most one message under way. A newer state replaces a waiting one.
///
/// Pure: each input returns the effects to carry out, in order.
package struct Uplink: Sendable {
    package enum Publication: Sendable, Hashable {
        case status
        case state(String)
    }

    package enum Input: Sendable {
        /// The first reply of a subscription: the states of all aspects, and whether it resumed from its position.
        case busStarted(instance: String, states: [BusState], isResumed: Bool)
        case busChanged([BusState])
        case busLost
        /// The states that ``Effect/readStates(_:)`` requested; an empty instance if the request failed and must be
        /// repeated.
        case statesRead(instance: String, states: [BusState])
        case connected(sessionPresent: Bool)
        /// The broker has taken a message; otherwise the broker, or the client before it, has refused the message.
        case answered(Publication, isTaken: Bool)
        /// The connection has ended or was not made.
        case disconnected(isTakenOver: Bool)
        /// All desired states have arrived and been answered by the bus, or the wait for them is over.
        case desiredArrived
        /// The desired values that the bus has taken.
        case desiredTaken([String: FleetPosition])
        /// The time of ``Effect/wait(_:)`` is over.
        case timeIsOver
        case stop
    }

    package enum Effect: Sendable, Hashable {
        case connect
        /// End the connection, if there is one, at once. The broker publishes the will unless the end is clean.
        case disconnect(isClean: Bool)
        /// Send a retained message.
        case publish(Publication, topic: String, payload: [UInt8], expiry: UInt32?)
        case setForeground(Bool)
        /// Subscribe anew, from the position of the subscription.
        case subscribeAgain
        /// Read the complete states of aspects.
        case readStates([String])
        /// Delay an announced sleep of the machine, or let it sleep.
        case delaySleep(Bool)
        /// Save the positions, soon or before anything else.
        case save(isUrgent: Bool)
        /// Replaces the timer.
        case wait(Duration)
        /// An aspect is not published for a reason.
        case leaveOut(String, because: String)
        /// The broker has closed several connections soon after accepting them, as mosquitto does when another client
        /// has the same identity.
        case suspectClone
        case end
    }

    enum Phase: Sendable, Hashable {
        /// Waits for the next attempt.
        case offline
        case connecting
        case online
        /// Waits for the acknowledgement of the last status before a disconnection.
        case leaving
        /// Waits for the next wake, of the device or of its machine.
        case asleep
        case ended
    }

    enum Bus: Sendable {
        case absent
        /// A new subscription was requested, whose first reply has the states to send.
        case subscribing
        case present
    }

    struct Entry: Sendable {
        /// A state that the broker has not acknowledged; a `nil` value removes the topic.
        var pending: BusState?
        var inFlight: Int64?
        /// The last acknowledged generation of this instance.
        var acknowledged: Int64?
        /// Whether the broker has a state of the aspect.
        var isHeld = false
        /// Whether the broker may have a state, which must be replaced when the name is withdrawn.
        var mayBeHeld = false
        /// Whether the broker refused the pending state; the next attempt is with a newer state or another connection.
        var isRefused = false
        /// Whether the aspect is not configured any more, so that its topic is removed.
        var isRemoved = false
    }

    /// The limits of the random pauses between attempts to connect, so that a fleet does not return at once.
    ///
    /// Of 100,000 devices, 3,333 connect in a second after a short outage, and 333 after a long one. With a first limit
    /// of a second, all would connect within a second after a short outage. The first limit also holds after a start,
    /// since devices on one power line start together. It is as long as the will's delay, so that devices that return
    /// at the first attempt are not reported as lost. With the last limit, a broker that is back is noticed within five
    /// minutes.
    package static let pauses: ClosedRange<Duration> = .seconds(30) ... .seconds(300)
    /// The same for a broker on this machine, which serves no fleet; the first attempt has no pause.
    package static let localPauses: ClosedRange<Duration> = .seconds(1) ... .seconds(2)
    /// The time in which a broker must accept a connection, and in which a waking device must be done.
    static let patience: Duration = .seconds(30)
    /// The time in which the last status must be acknowledged before the bridge ends: a person waits for it.
    package static let farewell: Duration = .seconds(1)
    /// The time in microseconds after which a connection counts as good: attempts then begin with short pauses again.
    package static let steady: Int64 = 60_000_000

    /// The number of connections in a row that must end early to suspect a clone: a restart of the broker ends one.
    static let suspicion = 3
    /// The time in microseconds for which a broker is trusted to keep acknowledged states while a device sleeps: a day,
    /// like the session.
    static let trust: Int64 = 86_400_000_000
    /// The most aspects that the bus accepts in one request.
    static let readLimit = 64

    package let device: DeviceID
    let configuration: BridgeConfiguration
    private let aspects: AspectSet
    let version: String
    var phase = Phase.offline
    var isStopping = false
    var bus = Bus.absent
    var instance = ""
    var entries: [String: Entry] = [:]
    /// Whether ``entries`` are known to list all states of the broker.
    var isComplete = false
    /// The time of the last connection in which every state was published.
    var completedAt: Int64?
    /// The aspects whose complete states must be read, with the generations that were announced.
    var stale: [String: Int64] = [:]
    /// The aspects that are being read; `nil` if none are.
    var reading: [String]?
    var backoff: Backoff
    var connectedAt: Int64?
    /// The number of connections in a row that were not good.
    var shortConnections = 0
    var hasDesired = false
    var status = StatusTrack()
    var absence = Absence()

    /// Whether the device's clock was synchronized when the current input came.
    package var isClockSynchronized = true

    /// The pauses are those for the distance of the broker, unless they are given.
    package init(
        _ device: DeviceID, _ configuration: BridgeConfiguration, version: String,
        pauses: ClosedRange<Duration>? = nil, from saved: UplinkPositions? = nil
    ) {
        self.device = device
        self.configuration = configuration
        aspects = AspectSet(configuration.aspects)
        self.version = version
        let pauses = pauses ?? (configuration.broker.address.isLocal ? Self.localPauses : Self.pauses)
        // A sleeping device does not try more often than it wakes.
        backoff = Backoff(
            from: pauses.lowerBound, to: max(pauses.upperBound, configuration.wakeEvery ?? .zero), least: 0)
        guard let saved, saved.identity == identity else { return }
        instance = saved.instance
        for (name, generation) in saved.generations {
            var entry = Entry(acknowledged: generation, mayBeHeld: true)
            if !publishes(name) {
                entry.isRemoved = true
                entry.pending = BusState(aspect: name, generation: 0, changes: 0, changedAt: 0, value: .null)
            }
            entries[name] = entry
        }
    }

    func publishes(_ aspect: String) -> Bool { Aspect(aspect).map(aspects.covers) ?? false }

    /// The broker and the device for which the positions are valid.
    private var identity: String { "\(device)@\(configuration.broker)" }

    package var positions: UplinkPositions {
        UplinkPositions(
            identity: identity, instance: instance,
            generations: entries.filter { $0.value.mayBeHeld }.mapValues(\.acknowledged))
    }

    /// Whether a new subscription begins in the foreground.
    package var isForeground: Bool { phase == .online && configuration.wakeEvery == nil }

    /// The first attempt to connect follows a random pause; `fraction` is a random number from 0 to 1.
    package mutating func start(fraction: Double) -> [Effect] {
        [.wait(configuration.broker.address.isLocal ? .zero : backoff.next(fraction: fraction))]
    }

    /// Returns the effects of an input, in order; `now` is the time since boot in microseconds.
    package mutating func take(_ input: Input, at now: Int64, fraction: Double) -> [Effect] {
        guard phase != .ended else { return [] }
        var effects: [Effect] = []
        switch input {
        case .busStarted(let instance, let states, let isResumed):
            startBus(instance, states, isResumed: isResumed, &effects)
            noteMachine(states, fraction: fraction, &effects)
        case .busChanged(let states):
            take(states, &effects)
            noteMachine(states, fraction: fraction, &effects)
        case .busLost: (bus, reading) = (.absent, nil)
        case .statesRead(let instance, let states): takeRead(instance, states, &effects)
        case .connected(let sessionPresent): connect(sessionPresent: sessionPresent, at: now, &effects)
        case .answered(let publication, let isTaken): noteAnswer(to: publication, isTaken: isTaken, at: now, &effects)
        case .disconnected(let isTakenOver): disconnect(isTakenOver, at: now, fraction: fraction, &effects)
        case .desiredArrived: hasDesired = true
        case .desiredTaken(let taken): status.taken = taken
        case .timeIsOver: endWaiting(at: now, fraction: fraction, &effects)
        case .stop: stop(&effects)
        }
        settle(&effects)
        return effects
    }
}
