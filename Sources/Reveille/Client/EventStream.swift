// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// A subscription that survives its bus: performs what ``EventStreamState`` decides.
///
/// Loop thread only.
final class EventStream {
    /// A background and its deadline; the number distinguishes it from later ones.
    struct Background {
        let number: Int
        var timer: EventSource?
        var deadline: Int64?
    }

    /// The background that the owner wants, whatever the bus knows of it.
    var background: Background? {
        didSet { handle(.background(background != nil)) }
    }

    private(set) var state: EventStreamState
    private let sink: any EventSink
    private let loop: EventLoop
    private let patience: Patience
    private let logger: Logger
    /// Whether the log has named an unknown word; one is enough.
    private var hasNamedUnknownWord = false
    private let connect: BusConnection.Connect
    private var connection: BusConnection?
    /// Runs until the first reply of the bus.
    private var timer: EventSource?
    private let onStart: (Result<Void, ReveilleError>) -> Void
    private let onLoss: (_ wasGood: Bool) -> Void

    /// Creates a stream that is not open.
    ///
    /// - Parameters:
    ///   - request: The subscription; with positions it goes on from there.
    ///   - sink: Takes the events.
    ///   - loop: The loop of the thread.
    ///   - patience: How long to wait for the connection, and for the first reply.
    ///   - logger: Gets a line if the bus uses a word that this version does not know.
    ///   - connect: Connects to the bus.
    ///   - onStart: Called for each first reply of the bus, and if there will never be one.
    ///   - onLoss: Called when the connection is gone and ``open()`` must be called at some time, with whether the
    ///     connection was good: it held for some time, or brought events.
    init(
        _ request: SubscriptionRequest, sink: any EventSink, loop: EventLoop, patience: Patience, logger: Logger,
        connect: @escaping BusConnection.Connect,
        onStart: @escaping (Result<Void, ReveilleError>) -> Void, onLoss: @escaping (_ wasGood: Bool) -> Void
    ) {
        state = EventStreamState(request, patience: patience)
        self.sink = sink
        self.loop = loop
        self.patience = patience
        self.logger = logger
        self.connect = connect
        self.onStart = onStart
        self.onLoss = onLoss
    }

    /// Whether events wait that the consumer did not take before the background.
    var hasLeftovers: Bool { !sink.isEmpty }

    /// Asks the bus for the stream.
    func open() {
        handle(.open)
    }

    /// Ends the stream; a background stays, so that waiting events are not delivered because of the end.
    func close() {
        handle(.close)
    }

    /// Notes that the bus has begun a background, and the states of the aspects that it drops from now on.
    func beginDropping(_ states: [Event]) {
        readAll()
        handle(.backgroundBegan(states))
    }

    /// Notes that the bus has ended a background, and the states up to which it has dropped changes.
    func endDropping(at states: [Event]) {
        handle(.backgroundEnded(states))
    }

    /// Takes everything that the bus has sent so far.
    func readAll() {
        connection?.readAll()
    }

    private func handle(_ input: EventStreamState.Input) {
        for action in state.handle(input, at: Clocks.boot()) { perform(action) }
        if !state.isAsking { timer = nil }
    }

    private func perform(_ action: EventStreamState.Action) {
        switch action {
        case .subscribe(let request): subscribe(request)
        case .disconnect:
            connection?.close()
            connection = nil
        case .started: onStart(.success(()))
        case .failed(let error): onStart(.failure(error))
        case .reportLoss(let wasGood): onLoss(wasGood)
        case .start(let states, let instance): sink.start(from: states, of: instance)
        case .restart(let states, let instance): sink.restart(from: states, of: instance)
        case .answer(let states): sink.answer(states)
        case .put(let events): sink.put(events)
        case .skip(let states): sink.skip(states)
        case .park: sink.park()
        case .unpark: sink.unpark()
        case .finish(let error): sink.finish(error)
        }
    }

    private func subscribe(_ request: SubscriptionRequest) {
        let call = Call(.subscribe(request))
        do throws(SystemError) {
            timer = try loop.timer { [weak self, patience] in
                self?.handle(.lost(.unanswered(call, within: patience.answer)))
            }
            let connection = try BusConnection(
                connect, loop: loop, patience: patience.connect, onReply: { [weak self] in self?.take($0, to: call) },
                onEnd: { [weak self] in self?.handle(.lost($0)) })
            self.connection = connection
            timer?.fire(after: patience.answer)
            connection.send(call)
        } catch {
            handle(.lost(ReveilleError(reaching: error)))
        }
    }

    private func take(_ reply: Reply, to call: Call) {
        if let error = CallError(reply) { return handle(.refused(ReveilleError(answered: error, to: call.shortName))) }
        let unknownWords = UnknownWords()
        do throws(CallError) {
            handle(
                state.isAsking
                    ? .reply(try SubscribeReply(reply.parameters, noting: unknownWords))
                    : .events(try EventsReply(reply.parameters, noting: unknownWords).events))
        } catch {
            return handle(.lost(ReveilleError(.invalidReply, "the bus sent an invalid event: \(error)")))
        }
        if let word = unknownWords.first, !hasNamedUnknownWord {
            hasNamedUnknownWord = true
            logger.warning("the bus is newer than this program, which does not know \(word)")
        }
        if !reply.continues { handle(.lost(ReveilleError(.noBus, "the bus ended the subscription"))) }
    }
}
