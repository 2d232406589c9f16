// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import BusPosition
import Reveille
import ReveilleSystem
package import Varlink

/// A subscription that survives its bus: it reconnects, and resumes from its position.
///
/// Loop thread only.
package final class BusStream {
    /// What happens to the subscription.
    package enum Message {
        /// The aspects of the bus and their sources; only if the subscription depends on them.
        case aspects(JSONObject)
        /// The first reply of a bus: the states, or what has changed since the position. Then the names of programs that
        /// were withdrawn while there was no subscription.
        case started(JSONObject, withdrawn: [String])
        /// Events.
        case events(JSONObject)
        /// The bus is gone or refuses the subscription, and why; it is tried again.
        case lost(String)
    }

    /// The parameters of the subscription, without a position; made for each attempt.
    package enum Request {
        /// Parameters that do not depend on the bus.
        case parameters(() -> JSONObject)
        /// Parameters for the aspects that the bus has, as `DescribeAspects` lists them.
        case describing(([JSON]) -> JSONObject)
    }

    /// The place where the replies are, in the order in which they come.
    private enum Step {
        case describing, subscribing, streaming
    }

    private let bus: BusRoute
    private let request: Request
    private let onMessage: (Message) -> Void
    private var connection: BusConnection?
    private var timer: EventSource?
    private var backoff = Backoff()
    private var step = Step.describing
    /// What the last message contained.
    package private(set) var position: StreamPosition

    /// Creates a stream that is closed.
    package init(
        _ request: Request, on bus: BusRoute, from position: StreamPosition?,
        onMessage: @escaping (Message) -> Void
    ) {
        self.bus = bus
        self.request = request
        self.position = position ?? StreamPosition()
        self.onMessage = onMessage
    }

    /// Whether replies are left on the bus, which then merges what changes.
    package var isPaused: Bool {
        get { connection?.isPaused ?? false }
        set { connection?.isPaused = newValue }
    }

    /// Connects to the bus, and again whenever it is lost.
    package func open() {
        do throws(SystemError) {
            if timer == nil { timer = try bus.loop.timer { [weak self] in self?.timeIsOver() } }
            connection = try BusConnection(
                bus.connector(), onReply: { [weak self] in self?.take($0) },
                onEnd: { [weak self] in self?.lose("\($0)") })
        } catch {
            return lose(BusRoute.description(error))
        }
        timer?.fire(after: Patience().answer)
        switch request {
        case .describing:
            step = .describing
            connection?.send(BusRoute.call("DescribeAspects"))
        case .parameters(let parameters): subscribe(parameters())
        }
    }

    /// Ends the subscription and begins another, which resumes from its position.
    ///
    /// Its first reply has all states.
    package func openAgain() {
        connection?.close()
        connection = nil
        open()
    }

    /// Ends the subscription.
    package func close() {
        connection?.close()
        connection = nil
        timer = nil
    }

    private func subscribe(_ parameters: JSONObject) {
        var parameters = parameters
        parameters["initial"] = true
        if !position.instance.isEmpty {
            parameters["instance"] = .string(position.instance)
            parameters["resume"] = position.resume
        }
        step = .subscribing
        connection?.send(BusRoute.call("Subscribe", parameters, mode: .more))
    }

    private func timeIsOver() {
        if connection == nil { open() } else { lose("the bus did not answer in time") }
    }

    private func lose(_ reason: String) {
        connection?.close()
        connection = nil
        onMessage(.lost(reason))
        timer?.fire(after: backoff.next(fraction: Double.random(in: 0...1)))
    }

    private func take(_ reply: Reply) {
        if let error = CallError(reply) {
            return lose("the bus refused \(step == .describing ? "DescribeAspects" : "Subscribe"): \(error)")
        }
        let parameters = reply.parameters
        switch step {
        case .describing:
            guard case .describing(let plan) = request else { return }
            subscribe(plan(parameters["aspects"]?.arrayValue ?? []))
            onMessage(.aspects(parameters))
        case .subscribing:
            step = .streaming
            timer?.disarm()
            backoff.reset()
            let events = parameters["events"]?.arrayValue ?? []
            let isResumed = parameters["resumed"]?.boolValue == true
            if !isResumed { position.generations = [:] }
            position.instance = parameters["instance"]?.stringValue ?? ""
            let withdrawn = isResumed ? position.removeNames(missingIn: events) : []
            position.note(events)
            onMessage(.started(parameters, withdrawn: withdrawn))
        case .streaming:
            position.note(parameters["events"]?.arrayValue ?? [])
            onMessage(.events(parameters))
        }
        if step == .streaming, !reply.continues { lose("the bus ended the subscription") }
    }
}
