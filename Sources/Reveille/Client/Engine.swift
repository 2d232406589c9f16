// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Logging
import ReveilleCore
import ReveilleService
import ReveilleSystem
import ReveilleWire
import Varlink

/// What a device does on a thread of its own: connections to its bus, or the bus itself with its watchers.
///
/// An actor whose executor is the thread's loop, so that descriptors, timers and udev are used where they belong.
actor Engine {
    /// Where the bus is.
    enum Route: Sendable {
        /// Another process serves it.
        case socket(UnixAddress)
        /// This one does; without files it has no sources.
        case local(Configuration, FileLocations?)
    }

    nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private let route: Route
    private let patience: Patience
    let logger = Logger(label: "reveille")
    private var bus: WatchedBus?
    private var channel: CallChannel?
    /// Since when the bus has been answering, as it was asked whether it does.
    private var reachedAt: Int64?
    private var retry: EventSource?
    private var isRetrying = false
    private var backoff = Backoff()
    private var random = SystemRandomNumberGenerator()
    private(set) var streams: [StreamID: EventStream] = [:]
    private var lastStream = 0
    private var lastBackground = 0
    private var states: [Int: AsyncStream<ConnectionState>.Continuation] = [:]
    private var lastStates = 0
    private var state = ConnectionState.connected {
        didSet { if state != oldValue { for continuation in states.values { continuation.yield(state) } } }
    }
    var lines = AspectTable<ObserverLine?>(repeating: nil)
    var lastObserver = 0

    init(_ route: Route, patience: Patience = Patience()) throws(ReveilleError) {
        self.route = route
        self.patience = patience
        do throws(SystemError) {
            thread = try LoopThread()
        } catch {
            throw ReveilleError(.system, "\(error)")
        }
    }

    /// Reaches the bus for the first time.
    func start() async throws(ReveilleError) {
        do throws(SystemError) {
            retry = try thread.loop.timer { self.reconnect() }
            if case .local(let configuration, let files) = route {
                bus = try WatchedBus(
                    loop: thread.loop, configuration: configuration, files: files, state: nil, version: "local",
                    logger: logger)
            }
        } catch {
            throw ReveilleError(.system, "\(error)")
        }
        _ = try await call("org.varlink.service.GetInfo")
        reachedAt = Clocks.boot()
    }

    /// Ends everything, on its own thread, where everything belongs; the thread ends with the engine.
    func shutDown() {
        for stream in streams.values { stream.close() }
        streams = [:]
        for continuation in states.values { continuation.finish() }
        states = [:]
        retry = nil
        lines = AspectTable(repeating: nil)
        channel?.close()
        channel = nil
        bus?.broker.stop()
        bus = nil
    }

    private func connect() throws(SystemError) -> UnixStream {
        switch route {
        // The thread waits for nothing but its loop.
        case .socket(let address): return try UnixStream(connectingTo: address, atMost: .zero)
        case .local:
            guard let bus else { throw SystemError("connect", code: ECONNREFUSED) }
            return try bus.connect()
        }
    }

    // MARK: - Calls

    /// Calls a method of the bus; tries to reach it where it is gone.
    func call(_ method: String, _ parameters: JSONObject = [:]) async throws(ReveilleError) -> JSONObject {
        let channel = try openChannel()
        let result = await withCheckedContinuation { continuation in
            channel.call(method, parameters) { continuation.resume(returning: $0) }
        }
        let reply = try result.get()
        // It has done what the program wanted.
        backoff.reset()
        return reply
    }

    @discardableResult
    func openChannel() throws(ReveilleError) -> CallChannel {
        if let channel { return channel }
        do throws(SystemError) {
            let channel = try CallChannel(
                { () throws(SystemError) in try self.connect() }, loop: thread.loop, patience: patience
            ) { self.lost($0) }
            self.channel = channel
            return channel
        } catch {
            throw ReveilleError(reaching: error)
        }
    }

    // MARK: - The bus that goes and comes back

    private func lost(_ error: ReveilleError) {
        channel = nil
        state = .disconnected(error)
        retryLater(wasGood: reachedAt.map { patience.isSteady(since: $0) } ?? false)
        reachedAt = nil
    }

    private func retryLater(wasGood: Bool = false) {
        if wasGood { backoff.reset() }
        // Of many that are lost at once, the first has set the time.
        guard !isRetrying else { return }
        isRetrying = true
        retry?.fire(after: backoff.next(fraction: Double.random(in: 0...1, using: &random)))
    }

    private func reconnect() {
        isRetrying = false
        for stream in streams.values where stream.isLost { stream.open() }
        guard channel == nil || state != .connected else { return }
        do throws(ReveilleError) {
            try openChannel().call("org.varlink.service.GetInfo", [:]) { result in
                switch result {
                case .success:
                    self.reachedAt = Clocks.boot()
                    self.state = .connected
                case .failure(let error): self.notReached(error)
                }
            }
        } catch {
            notReached(error)
        }
    }

    private func notReached(_ error: ReveilleError) {
        state = .disconnected(error)
        retryLater()
    }

    /// Whether the bus is reached now, and each change of it; only the newest waits for who does not look.
    func connectionStates() -> AsyncStream<ConnectionState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionState.self, bufferingPolicy: .bufferingNewest(1))
        lastStates += 1
        let number = lastStates
        states[number] = continuation
        continuation.yield(state)
        continuation.onTermination = { [weak self] termination in
            // At the end of everything there is nothing left to forget.
            guard case .cancelled = termination, let self else { return }
            Task { await self.forgetStates(number) }
        }
        return stream
    }

    private func forgetStates(_ number: Int) {
        states[number] = nil
    }

    // MARK: - Streams

    /// Subscribes; from here on what comes goes to the sink.
    func open(_ request: SubscriptionRequest, into mailbox: Mailbox) async throws(ReveilleError) -> StreamID {
        let (id, result) = await withCheckedContinuation { continuation in
            open(request, into: mailbox) { continuation.resume(returning: ($0, $1)) }
        }
        try result.get()
        return id
    }

    /// Subscribes, and tells once whether that went well.
    @discardableResult
    func open(
        _ request: SubscriptionRequest, into sink: any EventSink,
        completion: @escaping (StreamID, Result<Void, ReveilleError>) -> Void
    ) -> StreamID {
        lastStream += 1
        let id = lastStream
        var isFirst = true
        let stream = EventStream(
            request, sink: sink, loop: thread.loop, patience: patience, logger: logger,
            connect: { () throws(SystemError) in try self.connect() },
            onStart: { result in
                self.started(id, result)
                if isFirst { completion(id, result) }
                isFirst = false
            },
            onLoss: { self.retryLater(wasGood: $0) })
        if request.startsInBackground { stream.background = newBackground() }
        streams[id] = stream
        stream.open()
        return id
    }

    /// A background that does not end by itself.
    func newBackground() -> EventStream.Background {
        lastBackground += 1
        return EventStream.Background(number: lastBackground)
    }

    private func started(_ id: StreamID, _ result: Result<Void, ReveilleError>) {
        guard case .success = result, let stream = streams[id] else {
            streams[id] = nil
            return
        }
        // A background may have begun or ended while the bus was asked, and one that ends by itself is new to it.
        let deadline = stream.background?.deadline
        let isInBackground = stream.background != nil
        guard deadline != nil || isInBackground != stream.wasOpenedInBackground else { return }
        tell(stream, isInBackground: isInBackground, until: deadline) { _ in }
    }

    /// Ends a stream; one that has ended already stays so.
    func close(_ id: StreamID) {
        streams.removeValue(forKey: id)?.close()
    }
}

/// Names a stream of an engine.
typealias StreamID = Int
