// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleDBusCore
import ReveilleSystem

/// Carries out what ``Follower`` decides; loop thread only.
final class Satellite {
    private var follower: Follower
    private let log: SubjectLog<String>
    private var buses: [PropertyRule.Bus: MessageBus] = [:]
    private var link: BusLink?
    private var timer: EventSource?
    private var deadline: Follower.Instant?

    init(_ configuration: DBusConfiguration, _ connector: Connector, _ log: ProgramLog) throws {
        follower = Follower(configuration)
        self.log = SubjectLog(log)
        // After the messages that have arrived: a turn ends with one publication.
        timer = try connector.loop.timer(priority: .flood) { [unowned self] in
            deadline = nil
            handle(.expired)
        }
        for bus in PropertyRule.Bus.allCases {
            buses[bus] = try MessageBus(bus, on: connector.loop, log: self.log) { [unowned self] in handle($0) }
        }
        link = try BusLink(configuration.demands, connector, log: self.log) { [unowned self] in handle($0) }
    }

    /// Throws if the bus is unavailable; later, the satellite waits until it is back.
    func start() throws(ReveilleError) { try link?.open() }

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
        case .publish(let name, let value): link?.publish(name, value)
        case .warn(let text): log.write(.warning, text, about: text)
        }
    }
}
