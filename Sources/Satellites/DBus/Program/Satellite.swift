// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore
import ReveilleDBusCore
import ReveilleLink
import ReveilleSystem
import ReveilleWire
import Varlink

/// Carries out the effects of ``Follower``; loop thread only.
final class Satellite {
    private var follower: Follower
    private let log: SubjectLog<String>
    private var buses: [PropertyRule.Bus: MessageBus] = [:]
    private var link: PublisherLink?
    private var timer: EventSource?
    private var deadline: Follower.Instant?

    init(_ configuration: DBusConfiguration, _ loop: EventLoop, _ connector: Connector, _ log: ProgramLog) throws {
        follower = Follower(configuration)
        self.log = SubjectLog(log)
        // After the messages that have arrived: a turn ends with one publication.
        timer = try loop.timer(priority: .flood) { [unowned self] in
            deadline = nil
            handle(.expired)
        }
        for bus in PropertyRule.Bus.allCases {
            buses[bus] = try MessageBus(bus, on: loop, log: self.log) { [unowned self] in handle($0) }
        }
        link = try PublisherLink(configuration.demands, connector) { [unowned self] in take($0) }
    }

    func start() { link?.open() }

    private func take(_ event: PublisherLink.Event) {
        switch event {
        case .demands(let demands):
            log.settle("bus")
            handle(.demands(demands))
        case .lost(let error):
            log.write(.warning, "the bus: \(error); trying again", about: "bus")
            handle(.busLost)
        }
    }

    private func publish(_ name: String, _ value: JSONObject?) {
        guard let aspect = Aspect(name) else { return }
        link?.publish(PublishedValue(aspect, value)) { [unowned self] error in
            if let error {
                log.write(.warning, "\(name): not published: \(error); trying again", about: name)
            } else if value != nil {
                log.settle(name)
            }
            handle(.published(name, isRefused: error != nil))
        }
    }

    private func handle(_ input: Follower.Input) {
        for effect in follower.handle(input, at: Clocks.boot()) { perform(effect) }
        guard follower.deadline != deadline else { return }
        deadline = follower.deadline
        guard let deadline else { return timer?.disarm() ?? () }
        timer?.fire(after: .microseconds(max(0, deadline - Clocks.boot())))
    }

    private func perform(_ effect: Follower.Effect) {
        switch effect {
        case .open(let bus): buses[bus]?.open()
        case .close(let bus): buses[bus]?.close()
        case .match(let number, let bus, let rule): buses[bus]?.match(number, rule)
        case .unmatch(let number): for bus in buses.values { bus.unmatch(number) }
        case .call(let number, let call): buses[call.bus]?.call(number, call)
        case .publish(let name, let value): publish(name, value)
        case .warn(let text): log.write(.warning, text, about: text)
        }
    }
}
