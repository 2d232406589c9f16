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

    /// Whether the owner wants the stream to be inactive while it is in the foreground.
    var isInactive = false

    private(set) var state: EventStreamState
    private let sink: any EventSink
    private let connector: Connector
    private let logger: Logger
    /// Whether an unknown word has been logged; one line is enough.
    private var hasNamedUnknownWord = false
    private var connection: BusConnection?
    /// Runs until the first reply of the bus.
    private var timer: EventSource?
    private let onStart: (Result<Void, ReveilleError>) -> Void
    private let onLoss: (_ wasGood: Bool) -> Void

    /// Creates a stream that is not open.
    ///
    /// - Parameters:
    ///   - request: The subscription; with positions it continues from there.
    ///   - sink: Takes the events.
    ///   - connector: The way to the bus.
    ///   - logger: Gets a line if the bus uses a word that this version does not know.
    ///   - onStart: Called for each first reply of the bus, and if there will never be one.
    ///   - onLoss: Called when the stream must be opened again; see ``EventStreamState/Action/reportLoss(wasGood:)``.
    init(
        _ request: SubscriptionRequest, sink: any EventSink, connector: Connector, logger: Logger,
        onStart: @escaping (Result<Void, ReveilleError>) -> Void, onLoss: @escaping (_ wasGood: Bool) -> Void
    ) {
        state = EventStreamState(request, patience: connector.patience)
        self.sink = sink
        self.connector = connector
        self.logger = logger
        self.onStart = onStart
        self.onLoss = onLoss
    }

    /// Takes everything that the bus has sent so far.
    func readAll() {
        connection?.readAll()
    }

    /// Takes an input, and does what follows from it.
    func handle(_ input: EventStreamState.Input) {
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
        case .deliver(let output): sink.receive(output)
        }
    }

    private func subscribe(_ request: SubscriptionRequest) {
        let call = Call(.subscribe(request))
        do throws(SystemError) {
            let patience = connector.patience.answer
            timer = try connector.loop.timer { [weak self] in
                self?.handle(.lost(.unanswered(call, within: patience)))
            }
            let connection = try BusConnection(
                connector, onReply: { [weak self] in self?.take($0, to: call) },
                onEnd: { [weak self] in self?.handle(.lost($0)) })
            self.connection = connection
            timer?.fire(after: patience)
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
                    ? .reply(
                        try SubscribeReply(reply.parameters, noting: unknownWords),
                        at: Timestamp(microseconds: Clocks.wall()))
                    : .events(try [Event](reply.parameters, noting: unknownWords)))
        } catch {
            return handle(.lost(ReveilleError(.invalidReply, "the bus sent an invalid event: \(error)")))
        }
        if let word = unknownWords.first, !hasNamedUnknownWord {
            hasNamedUnknownWord = true
            logger.warning("the bus is newer than this program: unknown value \(word)")
        }
        if !reply.continues { handle(.lost(ReveilleError(.noBus, "the bus ended the subscription"))) }
    }
}

/// The number of a stream of an engine.
typealias StreamID = Int
