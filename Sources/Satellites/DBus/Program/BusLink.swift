// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore
import ReveilleDBusCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// The connections to the bus: one for the demand, one for published values, which ends with them.
final class BusLink {
    private let demands: AspectSet
    private let connector: Connector
    private let log: SubjectLog<String>
    private let onInput: (Follower.Input) -> Void
    private var stream: BusConnection?
    private var calls: BusConnection?
    private var retry: EventSource?
    private var backoff = Backoff()

    init(
        _ demands: AspectSet, _ connector: Connector, log: SubjectLog<String>,
        onInput: @escaping (Follower.Input) -> Void
    ) throws(SystemError) {
        self.demands = demands
        self.connector = connector
        self.log = log
        self.onInput = onInput
        retry = try connector.loop.timer { [unowned self] in
            do throws(ReveilleError) { try open() } catch { lost("\(error)") }
        }
    }

    func open() throws(ReveilleError) {
        let stream = try BusConnection(connector) { [unowned self] in lost("\($0)") }
        self.stream = stream
        stream.call(Call(.observeDemand(demands))) { [unowned self] result in
            guard let reply = try? result.get() else { return }
            if let error = CallError(reply) { return lost("\(error)") }
            backoff.reset()
            log.settle("bus")
            let needs = ((try? [NameDemand](reply.parameters, noting: UnknownWords())) ?? []).map {
                ($0.aspect, $0.isNeeded)
            }
            onInput(.demands(Dictionary(needs, uniquingKeysWith: { $1 })))
        }
    }

    /// Publishes a value, or withdraws it with `nil`.
    func publish(_ name: String, _ value: JSONObject?) {
        guard let aspect = Aspect(name) else { return }
        do throws(ReveilleError) {
            if calls == nil { calls = try BusConnection(connector) { [unowned self] in lost("\($0)") } }
            calls?.call(Call(.publish(PublishedValue(aspect, value), whileConnected: true))) { [unowned self] result in
                guard let reply = try? result.get() else { return }
                let error = CallError(reply)
                if let error {
                    log.write(.warning, "\(name): not published: \(error); trying again", about: name)
                } else if value != nil {
                    log.settle(name)
                }
                onInput(.published(name, isRefused: error != nil))
            }
        } catch {
            lost("\(error)")
        }
    }

    private func lost(_ reason: String) {
        log.write(.warning, "the bus: \(reason); trying again", about: "bus")
        stream?.close()
        calls?.close()
        stream = nil
        calls = nil
        onInput(.busLost)
        retry?.fire(after: backoff.next(fraction: .random(in: 0...1)))
    }
}
