// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore
import ReveilleFleetCore
import ReveilleLink
import ReveilleSystem
import ReveilleWire
import Varlink

/// The bridge's subscription on the bus, and a link for calls.
///
/// Loop thread only.
final class BridgeSubscription {
    private let log: BridgeLog
    private let onInput: (Uplink.Input) -> Void
    private let onAnswer: (String, FleetPosition?) -> Void
    private var stream: EventStream?
    private var instance = ""
    private let calls: BusLink
    /// Delays the sleep of the machine for as long as it is connected.
    private let task: BusLink
    private var hasFailedRead = false
    private var hasFailedState = false

    /// Creates a closed link in the background that continues from a position.
    ///
    /// `onAnswer` receives each published name with its position, `nil` if the bus has not taken it.
    init(
        _ setup: BridgeSetup, to connector: Connector, from positions: UplinkPositions?, log: BridgeLog,
        onInput: @escaping (Uplink.Input) -> Void, onAnswer: @escaping (String, FleetPosition?) -> Void
    ) throws(SystemError) {
        calls = try BusLink(connector)
        task = try BusLink(connector)
        self.log = log
        self.onInput = onInput
        self.onAnswer = onAnswer
        calls.onRetry = { [weak self] in self?.repeatFailed() }
        var request = setup.subscription
        if let positions, !positions.instance.isEmpty {
            request.instance = positions.instance
            request.positions = Dictionary(
                uniqueKeysWithValues: positions.resumable.compactMap { name, generation in
                    Aspect(name).map { ($0, Int(generation)) }
                })
        }
        stream = try EventStream(request, connector: connector) { [weak self] in self?.take($0) }
        stream?.isInBackground = true
    }

    /// Connects, and again whenever the bus is lost.
    func open() { stream?.open() }

    func close() {
        stream?.close()
        calls.close()
        task.close()
    }

    private func take(_ message: EventStream.Message) {
        switch message {
        case .aspects: break
        case .started(let parameters, _):
            log.write(.info, "connected to the bus", about: .bus)
            hasFailedRead = false
            hasFailedState = false
            instance = parameters["instance"]?.stringValue ?? ""
            if let stream, stream.isInBackground != stream.wasOpenedInBackground { sendState() }
            onInput(
                .busStarted(
                    instance: instance, states: states(parameters),
                    isResumed: parameters["resumed"]?.boolValue == true))
        case .events(let parameters): onInput(.busChanged(states(parameters)))
        case .lost(let error):
            log.write(.warning, "trying to reach the bus again: \(error)", about: .bus)
            onInput(.busLost)
        }
    }

    private func states(_ parameters: JSONObject) -> [BusState] {
        (parameters["events"]?.arrayValue ?? []).compactMap { BusState($0) }
    }

    func subscribeAgain(isForeground: Bool) {
        stream?.isInBackground = !isForeground
        stream?.openAgain()
    }

    func setForeground(_ isForeground: Bool) {
        stream?.isInBackground = !isForeground
        sendState()
    }

    /// Delays the sleep of the machine by a task, or ends the task.
    func delaySleep(_ isDelayed: Bool) {
        task.close()
        guard isDelayed, let subscription = stream?.name else { return }
        task.call(Call(BeginTask("reporting the sleep", of: subscription))) { [log] result in
            guard case .failure(let failure) = result, failure != .ended else { return }
            log.write(.warning, "the sleep of the machine cannot be delayed: \(ReveilleError(failure))", about: .bus)
        }
    }

    private func sendState() {
        guard let stream, let subscription = stream.name else { return }
        let state: RequestedState = stream.isInBackground ? .background : .foreground
        call(SetState(subscription: subscription, to: state)) { [weak self] result in
            // A subscription that has ended begins again in the right state.
            guard let self, self.stream?.name == subscription else { return }
            guard case .failure(let reason) = result else { return }
            log.write(.warning, "the subscription cannot be set to \(state): \(reason)", about: .bus)
            hasFailedState = true
            calls.retry()
        }
    }

    private func repeatFailed() {
        if hasFailedState {
            hasFailedState = false
            sendState()
        }
        if hasFailedRead {
            hasFailedRead = false
            onInput(.statesRead(instance: "", states: []))
        }
    }

    func readStates(_ names: [String]) {
        call(GetState(AspectSet(names.compactMap { Aspect($0) }))) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let parameters):
                onInput(
                    .statesRead(instance: parameters["instance"]?.stringValue ?? "", states: states(parameters)))
            case .failure(let reason):
                log.write(.warning, "\(names.joined(separator: ", ")) cannot be read: \(reason)", about: .bus)
                hasFailedRead = true
                calls.retry()
            }
        }
    }

    private static let cannotImport = [CallError.permissionDenied.name, CallError.methodNotFound("").name]

    /// Publishes a name on the bus, or withdraws it with `nil`.
    ///
    /// If the bus does not let this user import, or is too old for it, the value is one change.
    func publish(_ name: String, _ value: JSONObject?, target: FleetPosition? = nil) {
        let published = PublishedValue(Aspect(stringLiteral: name), value)
        let completion: (Result<JSONObject, any Error>) -> Void = { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error as CallError) where target != nil && Self.cannotImport.contains(error.name):
                publish(name, value)
            case .success(let reply):
                log.settle(.aspect(name))
                onAnswer(
                    name, FleetPosition(instance: instance, generation: reply["generation"]?.integerValue ?? 0))
            case .failure(let reason):
                log.write(
                    .warning, "the bus did not take the desired state of \(name): \(reason)", about: .aspect(name))
                onAnswer(name, nil)
            }
        }
        guard let target else { return call(Publish(published), completion: completion) }
        call(
            Import(published, instance: target.instance, generation: Int(target.generation)), completion: completion)
    }

    private func call(_ method: some BusMethod, completion: @escaping (Result<JSONObject, any Error>) -> Void) {
        calls.call(Call(method)) { result in
            switch result {
            case .success(let reply):
                completion(CallError(reply).map { .failure($0) } ?? .success(reply.parameters))
            case .failure(let error): completion(.failure(ReveilleError(error)))
            }
        }
    }
}
