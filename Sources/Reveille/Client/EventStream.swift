// SPDX-License-Identifier: Apache-2.0

import Logging
package import ReveilleCore
package import ReveilleLink
package import ReveilleSystem
import ReveilleWire
package import Varlink

/// A subscription that survives its bus: performs the actions of ``EventStreamState``.
///
/// Its consumer is an ``EventSink``, or receives the replies as the bus sent them.
///
/// Loop thread only.
package final class EventStream {
    package enum Message {
        /// The reply of DescribeAspects; only if the subscription depends on it.
        case aspects(JSONObject)
        /// The first reply of a bus, and the names that were withdrawn while there was no subscription.
        case started(JSONObject, withdrawn: [Aspect])
        case events(JSONObject)
        /// The bus is gone or refuses the subscription, for a reason; another attempt follows.
        case lost(ReveilleError)
    }

    /// A background and its deadline; the number distinguishes it from later ones.
    struct Background {
        let number: Int
        var timer: (any LoopSource)?
        var deadline: Int64?
    }

    /// The background that the owner wants, whatever the bus knows of it.
    var background: Background? {
        didSet { isInBackground = background != nil }
    }

    /// Whether the owner wants the stream to be in the background, whatever the bus knows of it.
    package var isInBackground = false {
        didSet { handle(.background(isInBackground)) }
    }

    var isInactive = false

    private(set) var state: EventStreamState
    private let sink: (any EventSink)?
    private let link: BusLink
    private let logger: Logger?
    /// Whether an unknown word has been logged; one line is enough.
    private var hasNamedUnknownWord = false
    private let onStart: (Result<Void, ReveilleError>) -> Void
    private let onMessage: (Message) -> Void

    /// Creates a stream of events that is not open; a request with positions continues from there.
    ///
    /// `onStart` is called for each first reply of the bus, and if there will never be one. Throws without a timer for the
    /// pauses.
    convenience init(
        _ request: SubscriptionRequest, sink: any EventSink, connector: Connector, logger: Logger,
        onStart: @escaping (Result<Void, ReveilleError>) -> Void
    ) throws(SystemError) {
        let state = EventStreamState(request)
        try self.init(state, sink, connector, logger, onStart: onStart, onMessage: { _ in })
    }

    /// Creates a stream of replies that is not open, and never gives up; a request with positions continues from there.
    ///
    /// The plan completes the request for each attempt from the aspects of the bus; none of its policies drops changes.
    /// Throws without a timer for the pauses.
    package convenience init(
        _ request: SubscriptionRequest, plan: (([AspectInfo]) -> SubscriptionRequest)? = nil, connector: Connector,
        onMessage: @escaping (Message) -> Void
    ) throws(SystemError) {
        let state = EventStreamState(request, plan: plan, isPersistent: true)
        try self.init(state, nil, connector, nil, onStart: { _ in }, onMessage: onMessage)
    }

    private init(
        _ state: EventStreamState, _ sink: (any EventSink)?, _ connector: Connector, _ logger: Logger?,
        onStart: @escaping (Result<Void, ReveilleError>) -> Void, onMessage: @escaping (Message) -> Void
    ) throws(SystemError) {
        self.state = state
        self.sink = sink
        self.logger = logger
        self.onStart = onStart
        self.onMessage = onMessage
        link = try BusLink(connector)
        link.onLoss = { [weak self] in self?.handle(.lost(ReveilleError($0))) }
        link.onRetry = { [weak self] in self?.handle(.open) }
    }

    // MARK: - For its owner

    /// Connects to the bus, and again whenever it is lost.
    package func open() { handle(.open) }

    /// Ends the subscription and begins another, which resumes from its position and has all states in its first reply.
    package func openAgain() { handle(.openAgain) }

    package func close() { handle(.close) }

    /// Ends the stream and its consumer, which receives nothing more.
    func shutDown() {
        sink?.cancel()
        close()
    }

    /// Whether replies are left on the bus, which then merges what changes.
    package var isPaused: Bool {
        get { link.isPaused }
        set { link.isPaused = newValue }
    }

    package var name: String? { state.name }

    package var wasOpenedInBackground: Bool { state.wasOpenedInBackground }
    package var positions: Positions? { state.seen }

    func readAll() { link.readAll() }

    // MARK: - Inputs and actions

    func handle(_ input: EventStreamState.Input) {
        for action in state.handle(input) { perform(action) }
    }

    private func perform(_ action: EventStreamState.Action) {
        switch action {
        case .describe: send(Call(DescribeAspects()))
        case .subscribe(var request):
            request.wantsSupply = request.aspects.contains(Aspect.battery)
            send(Call(Subscribe(request)))
        case .disconnect: link.close()
        case .started: onStart(.success(()))
        case .failed(let error): onStart(.failure(error))
        case .retry(let error):
            link.retry()
            onMessage(.lost(error))
        case .deliver(let output): sink?.receive(output)
        }
    }

    private func send(_ call: Call) {
        link.call(call, isOpening: true) { [weak self] in
            if case .success(let reply) = $0 { self?.take(reply, to: call) }
        }
    }

    private func take(_ reply: Reply, to call: Call) {
        if let error = CallError(reply) {
            return handle(.refused(ReveilleError(answered: error, to: call.shortName)))
        }
        do throws(CallError) {
            try take(reply.parameters, to: call)
        } catch {
            let part = call.mode == .more ? "event" : "description"
            return handle(.lost(ReveilleError(.invalidReply, "the bus sent an invalid \(part): \(error)")))
        }
        if call.mode == .more, !reply.continues {
            handle(.lost(ReveilleError(.noBus, "the bus ended the subscription")))
        }
    }

    private func take(_ parameters: JSONObject, to call: Call) throws(CallError) {
        let unknownWords = UnknownWords()
        if call.mode != .more {
            let sources = try [AspectInfo](parameters, noting: unknownWords)
            onMessage(.aspects(parameters))
            handle(.described(sources))
        } else if state.isAsking {
            let reply = try SubscribeReply(parameters, noting: unknownWords)
            let withdrawn = state.withdrawn(before: reply)
            handle(.reply(reply, at: Timestamp(microseconds: Clocks.wall())))
            onMessage(.started(parameters, withdrawn: withdrawn))
        } else {
            handle(.events(try [Event](parameters, noting: unknownWords)))
            onMessage(.events(parameters))
        }
        // A consumer of replies receives the word itself.
        guard let logger, let word = unknownWords.first, !hasNamedUnknownWord else { return }
        hasNamedUnknownWord = true
        logger.warning("the bus is newer than this program: unknown value \(word)")
    }
}

typealias StreamID = Int
