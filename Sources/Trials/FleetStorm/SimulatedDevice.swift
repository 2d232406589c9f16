// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleetCore
import ReveilleMQTT
import ReveilleSimulation
import ReveilleSystem
import Varlink

/// A device with a bus of its own, the real uplink, and a real connection.
final class SimulatedDevice {
    static let aspects: [Aspect] = [
        "org.fleet.charge", "org.fleet.door", "org.fleet.mode", "org.fleet.pose", "org.fleet.volume",
    ]
    /// How many seconds the broker keeps the session, as the real bridge requests.
    private static let sessionExpiry: UInt32 = 86_400
    /// The keep-alive in seconds, which is longer than a storm.
    private static let keepAlive: UInt16 = 900

    /// The last limit of the pauses, shorter than for real bridges: among many devices, a few would wait for almost all
    /// of it.
    private static let longestPause: Duration = .seconds(60)

    /// How many seconds older than its age a connection appears to the uplink.
    ///
    /// Pauses become short again only after a connection of a minute, and the phases of a storm follow each other
    /// within seconds.
    private static let aging: Int64 = 60

    let id: DeviceID
    private let broker: FleetBroker
    private let loop: EventLoop
    private var random: SplitMix64
    private var bus: Bus
    private var uplink: Uplink
    private var subscription = SubscriptionID(rawValue: 0)
    private var connection: MQTTConnection?
    private var publications: [Int32: Uplink.Publication] = [:]
    private var timer: EventSource?
    private var inputs: [Uplink.Input] = []
    private var isTaking = false
    private var value = 0

    init(_ id: DeviceID, broker: FleetBroker, loop: EventLoop, random: SplitMix64) throws(SystemError) {
        self.id = id
        self.broker = broker
        self.loop = loop
        var random = random
        let instance = (0..<2).map { _ in String(random.next() | 1 << 63, radix: 16) }.joined()
        bus = Bus(restoring: SavedState(instance: instance), history: 1, at: Timestamp(microseconds: loop.wallClock))
        // As on another machine, which a whole fleet shares.
        let remote = BrokerAddress(.tcp(host: "broker.example", port: BrokerAddress.securePort, isTLS: true))
        var configuration = BridgeConfiguration(broker: FleetBroker(address: remote))
        configuration.aspects = Self.aspects
        uplink = Uplink(
            id, configuration, version: "0", pauses: Uplink.pauses.lowerBound...Self.longestPause)
        self.random = random
        timer = try loop.timer(priority: .normal) { [weak self] in self?.take(.timeIsOver) }
        change()
    }

    func start() {
        subscribe()
        carry(out: uplink.start(fraction: fraction))
        take()
    }

    func change() {
        value += 1
        let time = Timestamp(microseconds: loop.wallClock)
        for aspect in Self.aspects {
            bus.publish(aspect, Array("{\"value\":\(value)}".utf8), by: Publisher(user: 1), at: time)
        }
        deliver()
        take()
    }

    var states: [(aspect: String, position: FleetPosition)] {
        let instance = bus.instance
        return Self.aspects.map { aspect in
            (aspect.name, FleetPosition(instance: instance, generation: Int64(bus.position(of: aspect).generation)))
        }
    }

    /// Whether the broker has acknowledged the newest state of each aspect.
    var isSettled: Bool {
        let acknowledged = uplink.positions.generations
        return uplink.isForeground && states.allSatisfy { acknowledged[$0.aspect] == $0.position.generation }
    }

    // MARK: - Bus

    private func subscribe() {
        bus.cancel(subscription)
        subscription = SubscriptionID(rawValue: subscription.rawValue + 1)
        let positions = uplink.positions
        let start = bus.subscribe(
            SubscriptionRequest(
                aspects: AspectSet(Self.aspects), startsInBackground: !uplink.isForeground, wantsInitial: true,
                instance: positions.instance,
                positions: Dictionary(
                    uniqueKeysWithValues: positions.resumable.map { (Aspect(stringLiteral: $0.key), Int($0.value)) })),
            as: subscription, at: Timestamp(microseconds: loop.wallClock))
        bus.noteRead(by: subscription)
        inputs.append(
            .busStarted(
                instance: bus.instance, states: start.events.map(BusState.init), isResumed: start.resumed == true))
    }

    private func setForeground(_ isForeground: Bool) {
        let time = Timestamp(microseconds: loop.wallClock)
        if isForeground {
            bus.release(.app, from: subscription, at: time)
        } else {
            bus.hold(.app, on: subscription, at: time)
        }
        deliver()
    }

    private func deliver() {
        while let delivery = bus.nextDelivery(at: UInt64(max(0, Clocks.boot()))) {
            bus.noteRead(by: delivery.subscription)
            inputs.append(.busChanged(delivery.events.map(BusState.init)))
        }
    }

    // MARK: - Broker

    private func connect() {
        var options = MQTTConnection.Options(broker: broker, clientID: id.text)
        options.cleanStart = false
        options.sessionExpiry = Self.sessionExpiry
        options.keepAlive = Self.keepAlive
        options.will = MQTTConnection.Will(
            topic: FleetTopic.status(id).text, payload: Uplink.will.bytes, delay: 30, expiry: StatusMessage.lease)
        publications = [:]
        do throws(MQTTError) {
            connection = try MQTTConnection(options, on: loop) { [weak self] in self?.handle($0) }
        } catch {
            inputs.append(.disconnected(isTakenOver: false))
        }
    }

    private func handle(_ event: MQTTConnection.Event) {
        switch event {
        case .connected(let sessionPresent):
            inputs.append(.connected(sessionPresent: sessionPresent))
            inputs.append(.desiredArrived)
        case .acknowledged(let number, let refusal, _):
            guard let publication = publications.removeValue(forKey: number) else { return }
            inputs.append(.answered(publication, isTaken: refusal == nil))
        case .ended(let error):
            connection = nil
            inputs.append(.disconnected(isTakenOver: error.kind == .takenOver))
        case .message, .subscribed: return
        }
        take()
    }

    // MARK: - Uplink

    private var fraction: Double { Double.random(in: 0...1, using: &random) }

    private func take(_ input: Uplink.Input) {
        inputs.append(input)
        take()
    }

    /// Takes the inputs; effects can add further inputs.
    private func take() {
        guard !isTaking else { return }
        isTaking = true
        while !inputs.isEmpty {
            carry(out: uplink.take(inputs.removeFirst(), at: Clocks.boot() * Self.aging, fraction: fraction))
        }
        isTaking = false
    }

    private func carry(out effects: [Uplink.Effect]) {
        for effect in effects {
            switch effect {
            case .connect: connect()
            case .disconnect(let isClean):
                if isClean { connection?.disconnect() } else { connection?.close() }
                connection = nil
            case .publish(let publication, let topic, let payload, let expiry):
                let number = connection?.publish(payload, to: topic, retain: true, expiry: expiry)
                if let number { publications[number] = publication }
            case .setForeground(let isForeground): setForeground(isForeground)
            case .subscribeAgain: subscribe()
            case .wait(let duration): timer?.fire(after: duration)
            // Only the process itself keeps positions, no aspect is left out, and no machine sleeps.
            case .delaySleep, .save, .readStates, .leaveOut, .suspectClone, .end: break
            }
        }
    }
}

extension BusState {
    fileprivate init(_ event: Event) {
        let value = event.published?.bytes.flatMap { try? JSON.parse($0) } ?? .null
        self.init(
            aspect: event.aspect.name, generation: Int64(event.generation), changes: Int64(event.changeCount),
            changedAt: event.changedAt.microseconds, value: value)
    }
}
