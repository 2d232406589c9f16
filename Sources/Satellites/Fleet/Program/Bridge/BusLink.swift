// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import BusClient
import BusPosition
import Reveille
import ReveilleFleetCore
import ReveilleSystem
import Varlink

/// The bridge's subscription on the bus, and a second connection for calls.
///
/// Loop thread only.
final class BusLink {
    private let route: BusRoute
    private let setup: BridgeSetup
    private let notes: Notes
    private let onInput: (Uplink.Input) -> Void
    private let onAnswer: (String, Bool) -> Void
    private var stream: BusStream?
    private var calls: CallChannel?
    private var subscription: String?
    /// Whether the subscription is to be in the foreground, and whether it was requested there.
    private var isForeground = false
    private var wasForeground = false
    /// Repeats what the bus did not do.
    private var retry: EventSource?
    private var backoff = Backoff()
    private var hasFailedRead = false
    private var hasFailedState = false

    /// Creates a link that is closed, and continues from a position.
    ///
    /// `onAnswer` receives each published name, and whether the bus has taken it.
    init(
        _ setup: BridgeSetup, to route: BusRoute, from positions: UplinkPositions?, notes: Notes,
        onInput: @escaping (Uplink.Input) -> Void, onAnswer: @escaping (String, Bool) -> Void
    ) throws(SystemError) {
        self.setup = setup
        self.route = route
        self.notes = notes
        self.onInput = onInput
        self.onAnswer = onAnswer
        retry = try route.loop.timer { [weak self] in self?.repeatFailed() }
        let position = positions.map { StreamPosition(instance: $0.instance, generations: $0.resumable) }
        stream = BusStream(
            .parameters { [weak self] in self?.parameters() ?? [:] }, on: route, from: position,
            onMessage: { [weak self] in self?.take($0) })
    }

    /// Connects, and again whenever the bus is lost.
    func open() { stream?.open() }

    /// Ends everything.
    func close() {
        stream?.close()
        calls?.close()
        calls = nil
        retry = nil
    }

    private func parameters() -> JSONObject {
        wasForeground = isForeground
        return setup.subscription(isForeground: isForeground)
    }

    private func take(_ message: BusStream.Message) {
        switch message {
        case .aspects: break
        case .started(let parameters, _):
            notes.write(.info, "connected to the bus", about: .bus)
            hasFailedRead = false
            hasFailedState = false
            subscription = parameters["subscription"]?.stringValue
            if isForeground != wasForeground { setForeground(isForeground) }
            onInput(
                .busStarted(
                    instance: parameters["instance"]?.stringValue ?? "", states: states(parameters),
                    isResumed: parameters["resumed"]?.boolValue == true))
        case .events(let parameters): onInput(.busChanged(states(parameters)))
        case .lost(let reason):
            notes.write(.warning, "trying to reach the bus again: \(reason)", about: .bus)
            subscription = nil
            onInput(.busLost)
        }
    }

    private func states(_ parameters: JSONObject) -> [BusState] {
        (parameters["events"]?.arrayValue ?? []).compactMap { BusState($0) }
    }

    /// Subscribes again from the position of the subscription.
    func subscribeAgain(isForeground: Bool) {
        self.isForeground = isForeground
        subscription = nil
        stream?.openAgain()
    }

    /// Sends the subscription to the background, or wakes it.
    func setForeground(_ isForeground: Bool) {
        self.isForeground = isForeground
        guard let subscription else { return }
        let state: JSON = isForeground ? "foreground" : "background"
        call("SetState", ["subscription": .string(subscription), "state": state]) { [weak self] result in
            // A subscription that has ended begins again in the right state.
            guard let self, self.subscription == subscription else { return }
            guard case .failure(let reason) = result else { return backoff.reset() }
            notes.write(.warning, "the subscription cannot be set to \(state): \(reason)", about: .bus)
            hasFailedState = true
            repeatLater()
        }
    }

    private func repeatLater() { retry?.fire(after: backoff.next(fraction: .random(in: 0...1))) }

    private func repeatFailed() {
        if hasFailedState {
            hasFailedState = false
            setForeground(isForeground)
        }
        if hasFailedRead {
            hasFailedRead = false
            onInput(.statesRead(instance: "", states: []))
        }
    }

    /// Reads the complete states of aspects.
    func readStates(_ aspects: [String]) {
        call("GetState", ["aspects": .array(aspects.map { .string($0) })]) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let parameters):
                backoff.reset()
                onInput(
                    .statesRead(instance: parameters["instance"]?.stringValue ?? "", states: states(parameters)))
            case .failure(let reason):
                notes.write(.warning, "\(aspects.joined(separator: ", ")) cannot be read: \(reason)", about: .bus)
                hasFailedRead = true
                repeatLater()
            }
        }
    }

    /// Publishes a name on the bus, or withdraws it with `nil`.
    func publish(_ name: String, _ value: JSONObject?) {
        call("Publish", ["aspect": .string(name), "value": value.map { .object($0) } ?? .null]) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success:
                notes.settle(.aspect(name))
                onAnswer(name, true)
            case .failure(let reason):
                notes.write(
                    .warning, "the bus did not take the desired state of \(name): \(reason)", about: .aspect(name))
                onAnswer(name, false)
            }
        }
    }

    private enum Outcome {
        case success(JSONObject)
        case failure(String)
    }

    private func call(_ method: String, _ parameters: JSONObject, completion: @escaping (Outcome) -> Void) {
        do throws(SystemError) {
            if calls == nil {
                calls = try CallChannel(route.connector(), onEnd: { [weak self] _ in self?.calls = nil })
            }
            calls?.send(BusRoute.call(method, parameters)) { result in
                switch result {
                case .success(let reply):
                    completion(CallError(reply).map { .failure("\($0)") } ?? .success(reply.parameters))
                case .failure(let error): completion(.failure("\(error)"))
                }
            }
        } catch {
            completion(.failure(BusRoute.description(error)))
        }
    }
}
