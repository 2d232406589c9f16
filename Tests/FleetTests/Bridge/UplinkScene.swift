// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleetCore
import Varlink

/// An uplink with a simulated bus and a simulated broker, in which everything that takes time waits for a step.
struct UplinkScene {
    struct Message {
        let publication: Uplink.Publication
        let topic: String
        let payload: [UInt8]
    }

    static let device = "kiosk-7"
    static let aspects: [Aspect] = ["battery", "orientation", "org.example.*"]

    var bus = SimulatedBus()
    var uplink: Uplink
    var now: Int64 = 0
    private let configuration: BridgeConfiguration
    // The broker.
    var retained: [String: [UInt8]] = [:]
    var reader = NaiveReader()
    var hasSession = false
    /// What the broker has saved: its states and its session, but no connection.
    var snapshot: (retained: [String: [UInt8]], hasSession: Bool) = ([:], false)
    var isConnected = false
    var isConnecting = false
    var wire: [Message] = []
    var acknowledgements: [Uplink.Publication] = []
    var refusals = 0
    // The bridge.
    var saved: (urgent: UplinkPositions?, latest: UplinkPositions?) = (nil, nil)
    var isForeground = false
    var subscription: [String: Int64]?
    var isSubscribing = false
    var position: (instance: String, generations: [String: Int64]) = ("", [:])
    var reading: [String]?
    var hasTimer = false
    /// Whether the bridge delays a sleep of the machine.
    var isDelaying = false
    var hasEnded = false
    var farewells = 0
    var suspicions = 0
    var faults: [String] = []

    init(wakeEvery: Duration? = nil) throws {
        var configuration = try BridgeConfiguration(aspects: Self.aspects)
        configuration.wakeEvery = wakeEvery
        self.configuration = configuration
        uplink = Uplink(try DeviceID(Self.device), configuration, version: "1")
        start()
    }

    private mutating func start() {
        isConnected = false
        isConnecting = false
        wire = []
        acknowledgements = []
        reading = nil
        subscription = nil
        isForeground = false
        isDelaying = false
        hasTimer = false
        position = (uplink.positions.instance, uplink.positions.resumable)
        isSubscribing = true
        carryOut(uplink.start(fraction: 1))
    }

    /// Kills the bridge, and starts another from positions that were saved.
    mutating func restart(fromLatest: Bool) {
        let positions = fromLatest ? saved.latest : saved.urgent
        uplink = Uplink(uplink.device, configuration, version: "1", from: positions)
        start()
    }

    mutating func take(_ input: Uplink.Input) {
        carryOut(uplink.take(input, at: now, fraction: 1))
    }

    private mutating func carryOut(_ effects: [Uplink.Effect]) {
        for effect in effects {
            switch effect {
            case .connect: isConnecting = true
            case .disconnect(let isClean):
                if isClean, isConnected {
                    while !wire.isEmpty { deliver() }
                    farewells += 1
                }
                isConnected = false
                isConnecting = false
                wire = []
                acknowledgements = []
            case .publish(let publication, let topic, let payload, _):
                if !isConnected { faults.append("\(topic) was published offline") }
                let isUnderWay =
                    wire.contains { $0.publication == publication } || acknowledgements.contains(publication)
                if isUnderWay { faults.append("a second \(publication) is under way") }
                wire.append(Message(publication: publication, topic: topic, payload: payload))
            case .setForeground(let isForeground): self.isForeground = isForeground
            case .subscribeAgain:
                subscription = nil
                isSubscribing = true
                isForeground = uplink.isForeground
            case .readStates(let aspects): reading = aspects
            case .delaySleep(let isDelayed):
                if isDelaying == isDelayed { faults.append("delays the sleep twice, or lets it go twice") }
                isDelaying = isDelayed
            case .save(let isUrgent):
                saved.latest = uplink.positions
                if isUrgent { saved.urgent = saved.latest }
            case .wait: hasTimer = true
            case .leaveOut(let aspect, _): faults.append("\(aspect) is left out")
            case .suspectClone: suspicions += 1
            case .end: hasEnded = true
            }
        }
    }

    // MARK: - Steps

    mutating func fireTimer() {
        guard hasTimer else { return }
        hasTimer = false
        now += 1_000_000
        take(.timeIsOver)
    }

    mutating func answer(isAccepted: Bool) {
        guard isConnecting else { return }
        isConnecting = false
        guard isAccepted else { return take(.disconnected(isTakenOver: false)) }
        isConnected = true
        let isPresent = hasSession
        hasSession = true
        take(.connected(sessionPresent: isPresent))
    }

    mutating func lose() {
        guard isConnected else { return }
        isConnected = false
        wire = []
        acknowledgements = []
        take(.disconnected(isTakenOver: false))
    }

    /// The broker loses its memory, and its connections.
    mutating func forget() {
        hasSession = false
        retained = [:]
        lose()
    }

    mutating func keep() { snapshot = (retained, hasSession) }

    /// The broker crashes, and restarts from the memory that it has saved.
    mutating func goBack() {
        (retained, hasSession) = snapshot
        lose()
    }

    mutating func deliver() {
        guard !wire.isEmpty else { return }
        let message = wire.removeFirst()
        retained[message.topic] = message.payload.isEmpty ? nil : message.payload
        if let fault = reader.take(message.topic, message.payload) { faults.append(fault) }
        acknowledgements.append(message.publication)
    }

    mutating func refuse() {
        guard !wire.isEmpty, case .state = wire[0].publication else { return }
        refusals += 1
        take(.answered(wire.removeFirst().publication, isTaken: false))
    }

    mutating func acknowledge() {
        guard !acknowledgements.isEmpty else { return }
        take(.answered(acknowledgements.removeFirst(), isTaken: true))
    }

    /// The bus answers the subscription, delivers its events, or the states that were read.
    mutating func turnBus() {
        if isSubscribing {
            isSubscribing = false
            let isResumed = position.instance == bus.instance
            let states = bus.firstReply(resume: isResumed ? position.generations : nil)
            position = (bus.instance, bus.generations)
            subscription = bus.generations
            take(.busStarted(instance: bus.instance, states: states, isResumed: isResumed))
        } else if let asked = reading {
            reading = nil
            take(.statesRead(instance: bus.instance, states: asked.map { bus.state(of: $0) }))
        } else if isForeground, let seen = subscription {
            let events = bus.events(since: seen)
            subscription = bus.generations
            position.generations = bus.generations
            if !events.isEmpty { take(.busChanged(events)) }
        }
    }

    /// The machine prepares to sleep, or is awake again; a subscription in the background does not learn of it.
    mutating func announceSleep(_ state: String) {
        guard isForeground, subscription != nil else { return }
        let value: JSON = ["state": .string(state)]
        take(.busChanged([BusState(aspect: "sleep", generation: 1, changes: 1, changedAt: 0, value: value)]))
    }

    mutating func restartBus(isNew: Bool) {
        if isNew { bus.begin() }
        subscription = nil
        reading = nil
        isSubscribing = true
        take(.busLost)
    }

    /// Lets everything arrive, until nothing happens any more.
    mutating func settle() {
        for _ in 0..<1_000 {
            if isConnecting { answer(isAccepted: true) } else if !isConnected, !hasEnded { fireTimer() }
            turnBus()
            while !wire.isEmpty { deliver() }
            while !acknowledgements.isEmpty { acknowledge() }
            let isQuiet = isConnected && !isSubscribing && reading == nil && wire.isEmpty
            if isQuiet, !isForeground || bus.events(since: subscription ?? [:]).isEmpty { return }
        }
        faults.append("never settles")
    }
}

extension BridgeConfiguration {
    init(aspects: [Aspect], domains: [String] = [], broker: String = "b") throws {
        self.init(broker: FleetBroker(address: try BrokerAddress(broker)))
        self.aspects = aspects
        self.domains = domains
    }
}

extension Uplink {
    init(
        aspects: [Aspect], domains: [String] = [], broker: String = "b", from saved: UplinkPositions? = nil
    ) throws {
        let configuration = try BridgeConfiguration(aspects: aspects, domains: domains, broker: broker)
        self.init(try DeviceID("a"), configuration, version: "", from: saved)
    }
}
