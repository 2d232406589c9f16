// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore
import ReveilleFleetCore
import ReveilleHost
import ReveilleLink
import ReveilleSystem

/// Connects the bus of a device to a broker.
///
/// Loop thread only.
final class Bridge {
    /// The longest pause before a value is published again: the bus may refuse the value for good.
    private static let longestRetry: Duration = .seconds(300)
    /// The pause before one of several values that were set at once is published: a slow broker delays the programs that
    /// set them.
    private static let conflictPause: Duration = .seconds(60)

    private let setup: BridgeSetup
    private let loop: EventLoop
    private let keeper: BridgePositionsFile
    private let log: BridgeLog
    private var uplink: Uplink
    private var desired: DesiredStates
    private var announcer: HomeAssistantAnnouncer
    private var bus: BridgeSubscription?
    private var broker: BrokerLink?
    private var timer: EventSource?
    private var retry: EventSource?
    private var retries = Backoff(from: .seconds(1), to: longestRetry)
    /// The inputs that came while effects were carried out.
    private var inputs: [Uplink.Input] = []
    private var isBusy = false
    /// Whether the bridge only waits for an answer of the bus before it ends.
    private var isEnding = false

    init(
        _ setup: BridgeSetup, on loop: EventLoop, to connector: Connector, keeper: BridgePositionsFile, log: BridgeLog
    ) throws(SystemError) {
        self.setup = setup
        self.keeper = keeper
        self.log = log
        self.loop = loop
        let saved = keeper.load()
        uplink = Uplink(
            setup.device, setup.configuration, version: Device.libraryVersion, from: saved?.uplink)
        desired = DesiredStates(
            device: setup.device, groups: setup.configuration.groups,
            allowed: setup.configuration.desired, from: saved?.desired ?? [:])
        announcer = HomeAssistantAnnouncer(
            setup, announced: saved?.announced ?? [], entities: saved?.entities ?? [])
        timer = try loop.timer { [weak self] in self?.timeIsOver() }
        retry = try loop.timer { [weak self] in self?.publishAgain() }
        bus = try BridgeSubscription(
            setup, to: connector, from: uplink.positions, log: log, onInput: { [weak self] in self?.takeBus($0) },
            onAnswer: { [weak self] in self?.takeAnswer($0, at: $1) })
    }

    func start() {
        bus?.open()
        take(.desiredTaken(desired.taken))
        carryOut(uplink.start(fraction: .random(in: 0...1)))
    }

    /// Reports the end to the broker, and ends the loop.
    ///
    /// A second call does not wait for the broker.
    func stop() {
        Supervisor.notifyStopping()
        isEnding ? end() : take(.stop)
    }

    private func timeIsOver() { isEnding ? end() : take(.timeIsOver) }

    private func end() {
        save(isUrgent: true)
        bus?.close()
        loop.exit()
    }

    private func takeBus(_ input: Uplink.Input) {
        announcer.note(input)
        take(input)
        // A bus that has started may have lost published states.
        if case .busStarted = input { carryOut(desired.publishAll()) }
    }

    private func takeAnswer(_ name: String, at position: FleetPosition?) {
        if position != nil { retries.reset() }
        carryOut(desired.answered(name, at: position))
        reportTaken()
        if isEnding, !desired.awaitsAnswer { end() }
    }

    /// Tells the broker which values the bus has taken.
    private func reportTaken() {
        take(.desiredTaken(desired.taken))
        if desired.isDone { take(.desiredArrived) }
    }

    private func publishAgain() { carryOut(desired.retry()) }

    private func takeBroker(_ message: BrokerLink.Message) {
        switch message {
        case .uplink(let input):
            if case .connected = input {
                desired.begin()
                announcer.reset()
            }
            take(input)
        case .message(let topic, let payload):
            if announcer.isReminder(topic, payload) {
                announcer.reset()
                return announce()
            }
            do throws(FleetError) {
                carryOut(desired.take(try FleetTopic(topic), payload))
            } catch {
                log.write(.warning, "ignored a message of the broker: \(error)", about: .topic(topic.escaped))
            }
        case .acknowledged(let topic):
            if announcer.acknowledge(topic) { save(isUrgent: true) }
        case .collected(let isComplete, let hasForgotten):
            if !isComplete {
                log.write(
                    .warning, "the broker did not deliver all desired states, so none is withdrawn",
                    about: .topic(FleetTopic.status(setup.device).text))
            }
            carryOut(desired.endCollection(isComplete: isComplete, hasForgotten: hasForgotten))
            reportTaken()
        }
    }

    private func take(_ input: Uplink.Input) {
        inputs.append(input)
        guard !isBusy else { return }
        isBusy = true
        defer { isBusy = false }
        while !inputs.isEmpty {
            uplink.isClockSynchronized = Clocks.isSynchronized
            let effects = uplink.take(inputs.removeFirst(), at: Clocks.boot(), fraction: .random(in: 0...1))
            carryOut(effects)
        }
        announce()
    }

    private func carryOut(_ effects: [Uplink.Effect]) {
        for effect in effects {
            switch effect {
            case .connect: connect()
            case .disconnect(let isClean):
                broker?.end(isClean: isClean)
                broker = nil
            case .publish(let publication, let topic, let payload, let expiry):
                broker?.publish(publication, topic: topic, payload: payload, expiry: expiry)
            case .setForeground(let isForeground): bus?.setForeground(isForeground)
            case .subscribeAgain: bus?.subscribeAgain(isForeground: uplink.isForeground)
            case .readStates(let aspects): bus?.readStates(aspects)
            case .delaySleep(let isDelayed): bus?.delaySleep(isDelayed)
            case .save(let isUrgent): save(isUrgent: isUrgent)
            case .wait(let duration): timer?.fire(after: duration)
            case .leaveOut(let aspect, let reason):
                log.write(.warning, "\(aspect) is not published: \(reason)", about: .aspect(aspect))
            case .suspectClone:
                log.write(
                    .warning,
                    "the broker closes connections soon after it accepts them: it restarts, or another client uses the "
                        + "identity \(setup.device) (a cloned device?)", about: .identity)
            case .end:
                guard desired.awaitsAnswer else { return end() }
                // Without the answer, the next run would not know the count of a value that the bus took.
                isEnding = true
                timer?.fire(after: Uplink.farewell)
            }
        }
    }

    private func carryOut(_ effects: [DesiredStates.Effect]) {
        // Once, before the first publication.
        if effects.contains(.save) { save(isUrgent: true) }
        for effect in effects {
            switch effect {
            case .publish(let name, let value, let target): bus?.publish(name, value, target: target)
            case .withdraw(let name): bus?.publish(name, nil)
            case .retry(let isSoon):
                retry?.fire(after: isSoon ? retries.next(fraction: .random(in: 0...1)) : Self.conflictPause)
            case .save: break
            case .ignored(let topic, let reason):
                log.write(.warning, "ignored \(topic): \(reason)", about: .topic(topic))
            }
        }
    }

    private func connect() {
        do {
            broker = try BrokerLink(
                setup, desired: desired.filters, others: announcer.filters, former: announcer.formerFilters, on: loop,
                log: log, isSettled: { [weak self] in self?.desired.isSettled ?? true },
                onMessage: { [weak self] in self?.takeBroker($0) })
        } catch {
            log.write(.warning, "trying to reach the broker again: \(error)", about: .broker)
            take(.disconnected(isTakenOver: false))
        }
    }

    private func announce() {
        guard let broker, uplink.isConnected else { return }
        let messages = announcer.messages(for: uplink.publishedAspects)
        guard !messages.isEmpty else { return }
        save(isUrgent: true)
        for message in messages { broker.publish(nil, topic: message.topic, payload: message.payload, expiry: nil) }
    }

    private func save(isUrgent: Bool) {
        keeper.save(
            BridgePositions(
                uplink: uplink.positions, desired: desired.applied, announced: announcer.announced,
                entities: announcer.entities),
            isUrgent: isUrgent)
    }
}

typealias BridgeLog = SubjectLog<BridgeSubject>

/// The subjects of messages that may repeat.
enum BridgeSubject: Hashable {
    case bus, broker, identity, positions
    case topic(String)
    /// An aspect or name of the bus.
    case aspect(String)
}
