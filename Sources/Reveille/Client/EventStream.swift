// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// One subscription of the bus, for as long as somebody wants it: it comes back by position where the bus went away.
///
/// Loop thread only.
final class EventStream {
    /// The subscription's name on the bus; `nil` while there is none.
    private(set) var name: String?
    /// The background that its owner wants, whatever the bus knows of it.
    var background: Background? {
        didSet { if (oldValue == nil) != (background == nil) { background == nil ? sink.unpark() : sink.park() } }
    }

    /// Whether the bus was asked for it in the background.
    private(set) var wasOpenedInBackground = false

    /// One background, told from those that come later, and when it ends by itself.
    struct Background {
        let number: Int
        var timer: EventSource?
        var deadline: Int64?
    }

    /// Aspects of the policy `drop` whose changes nobody is told until the wake: nothing was due of them as the
    /// background began.
    private(set) var dropping: AspectSet = []

    private let request: SubscriptionRequest
    private let sink: any EventSink
    private let loop: EventLoop
    private let patience: Patience
    private let logger: Logger
    /// A word that is not known was named in the log; one is enough.
    private var hasNamedUnknownWord = false
    private let connect: BusConnection.Connect
    /// Runs while the bus owes its first reply.
    private var timer: EventSource?
    private let onStart: (Result<Void, ReveilleError>) -> Void
    private let onLoss: (_ wasGood: Bool) -> Void
    /// When the bus answered; `nil` while it has not.
    private var startedAt: Int64?
    private var hasBroughtEvents = false
    private var connection: BusConnection?
    private(set) var instance: String?
    private var generations: [Aspect: Int] = [:]
    private var hasStarted = false
    private var hasEnded = false

    /// Makes a stream that is not open.
    ///
    /// - Parameters:
    ///   - request: What to subscribe to; where it names positions, from there.
    ///   - sink: Takes what comes.
    ///   - loop: Its thread's loop.
    ///   - patience: How long to wait for the connection, and for the first reply.
    ///   - logger: Gets a line when the bus says what this version does not know.
    ///   - connect: Makes a connection to the bus.
    ///   - onStart: Told with each first reply of the bus, and when there can be none at all.
    ///   - onLoss: Told when the connection is gone, and ``open()`` has to be called some time; and whether it was
    ///     good until then: it held for some time, or brought something.
    init(
        _ request: SubscriptionRequest, sink: any EventSink, loop: EventLoop, patience: Patience, logger: Logger,
        connect: @escaping BusConnection.Connect,
        onStart: @escaping (Result<Void, ReveilleError>) -> Void, onLoss: @escaping (_ wasGood: Bool) -> Void
    ) {
        self.request = request
        self.sink = sink
        self.loop = loop
        self.patience = patience
        self.logger = logger
        self.connect = connect
        self.onStart = onStart
        self.onLoss = onLoss
    }

    /// Whether the bus has to be asked for it once more.
    var isLost: Bool { connection == nil && hasStarted && !hasEnded }

    /// Asks the bus for it.
    func open() {
        guard connection == nil, !hasEnded else { return }
        do throws(SystemError) {
            timer = try loop.timer { [weak self, patience] in
                self?.lose(ReveilleError(.timeout, "Subscribe: the bus did not answer within \(patience.answer)"))
            }
            let connection = try BusConnection(
                connect, loop: loop, patience: patience.connect, onReply: { [weak self] in self?.take($0) },
                onEnd: { [weak self] error in
                    // What is not even Varlink will not be when it is asked for again.
                    error.code == .invalidReply ? self?.end(error) : self?.lose(error)
                })
            self.connection = connection
            timer?.fire(after: patience.answer)
            wasOpenedInBackground = background != nil
            connection.send(
                Call(
                    method: BusInterface.name + ".Subscribe", parameters: SubscribeCoding.encode(currentRequest),
                    mode: .more))
        } catch {
            lose(ReveilleError(reaching: error))
        }
    }

    /// The aspects of the policy `drop`.
    var droppable: AspectSet {
        AspectSet(request.aspects.aspects.filter { request.policies[$0]?.background == .drop })
    }

    /// Notes, once the bus has begun a background, for which aspects it drops what changes.
    ///
    /// - Parameter states: The states of those that have the policy, asked for after it has begun. What is newer than
    ///   what came was due already, or came in between: rather told than lost.
    func beginDropping(_ states: [Event]) {
        readAll()
        dropping = AspectSet(states.filter { $0.generation <= generations[$0.aspect] ?? 0 }.map(\.aspect))
    }

    /// Notes, once the bus has ended a background, how far it has dropped what changed: a bus that comes back later is
    /// not to tell it.
    func endDropping(at states: [Event]) {
        dropping = []
        // What came meanwhile is newer than a state that was asked for before.
        let newer = states.filter { $0.generation > generations[$0.aspect] ?? 0 }
        note(newer)
        sink.skip(newer)
    }

    /// Whether something came before the background that was not taken.
    var hasLeftovers: Bool { !sink.isEmpty }

    /// Ends it; a background stands, so that what waits does not come out by that.
    func close() {
        hasEnded = true
        disconnect()
    }

    /// Takes what the bus has sent so far.
    func readAll() {
        connection?.readAll()
    }

    private var currentRequest: SubscriptionRequest {
        var request = request
        request.startsInBackground = background != nil
        // The states are wanted in any case: what comes is compared with them.
        request.wantsInitial = true
        if let instance {
            request.instance = instance
            request.positions = generations
        }
        return request
    }

    private func disconnect() {
        timer = nil
        connection?.close()
        connection = nil
        name = nil
        startedAt = nil
        hasBroughtEvents = false
    }

    private func lose(_ error: ReveilleError) {
        let wasGood = hasBroughtEvents || startedAt.map { patience.isSteady(since: $0) } ?? false
        disconnect()
        guard hasStarted else {
            hasEnded = true
            return onStart(.failure(error))
        }
        onLoss(wasGood)
    }

    private func end(_ error: ReveilleError) {
        let hadStarted = hasStarted
        close()
        if hadStarted { sink.finish(error) } else { onStart(.failure(error)) }
    }

    // MARK: - Replies

    private func take(_ reply: Reply) {
        if let error = CallError(reply) {
            let failure = ReveilleError(answered: error, to: "Subscribe")
            // A user's other programs may leave some room again.
            return failure.code == .quotaExceeded ? lose(failure) : end(failure)
        }
        let unknownWords = UnknownWords()
        do throws(CallError) {
            if name == nil {
                try takeStart(SubscribeCoding.decodeStart(reply.parameters, noting: unknownWords))
            } else {
                let events = try EventCoding.decodeAll(reply.parameters, noting: unknownWords)
                note(events)
                hasBroughtEvents = hasBroughtEvents || !events.isEmpty
                sink.put(events)
            }
        } catch {
            return end(ReveilleError(.invalidReply, "an event that the interface does not allow: \(error)"))
        }
        if let word = unknownWords.first, !hasNamedUnknownWord {
            hasNamedUnknownWord = true
            logger.warning("the bus is newer than this program: nobody here knows \(word)")
        }
        if !reply.continues { lose(ReveilleError(.noBus, "the bus ended the subscription")) }
    }

    private func takeStart(_ start: SubscribeCoding.Start) throws(CallError) {
        timer = nil
        startedAt = Clocks.boot()
        name = start.subscription
        instance = start.instance
        let wasStarted = hasStarted
        hasStarted = true
        note(start.events)
        let dropped = wasStarted && wasOpenedInBackground ? dropping : []
        let events = start.events.filter { !dropped.contains($0.aspect) }
        let states = events.filter { $0.changes == 0 }
        if !wasStarted && request.wantsInitial {
            sink.start(from: [], of: start.instance)
            sink.answer(events)
        } else if start.resumed == false {
            sink.restart(from: events, of: start.instance)
        } else {
            if !wasStarted { sink.start(from: states, of: start.instance) }
            sink.put(events.filter { $0.changes > 0 })
        }
        sink.skip(start.events.filter { dropped.contains($0.aspect) })
        dropping = wasOpenedInBackground ? droppable : []
        onStart(.success(()))
    }

    private func note(_ events: [Event]) {
        for event in events { generations[event.aspect] = event.generation }
    }
}
