// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Logging
import ReveilleCore
import ReveilleLink
package import ReveilleSystem
import ReveilleWire

/// A bus in this process, whose sockets and watchers belong to the engine's thread.
package protocol HostedBus {
    func connect() throws(SystemError) -> UnixStream
    func stop()
}

/// The part of a device that runs on its own thread: the connections to its bus, or the bus itself with its watchers.
///
/// An actor whose executor is the thread's loop, because file descriptors, timers and udev belong to one thread.
package actor Engine {
    /// Starts a bus of this process on the engine's thread.
    package typealias HostedBusStart = @Sendable (LoopThread, Logger) throws(SystemError) -> any HostedBus

    enum Route: Sendable {
        case socket(UnixAddress)
        case own(HostedBusStart)
    }

    nonisolated let thread: LoopThread
    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private let route: Route
    let logger: Logger
    private var bus: (any HostedBus)?
    private let patience: Patience
    /// The connection for calls; `nil` once this is closed.
    private var channel: BusLink?
    /// `nil` before the bus has answered, or could not be reached, for the first time.
    private var connectionState: ConnectionState? {
        didSet {
            guard let connectionState, connectionState != oldValue else { return }
            for continuation in states.values { continuation.yield(connectionState) }
            switch (oldValue, connectionState) {
            case (.connected, .disconnected(let error)): logger.info("disconnected from the bus: \(error)")
            case (.disconnected, .connected): logger.info("reconnected to the bus")
            default: break
            }
        }
    }
    private var states: [Int: AsyncStream<ConnectionState>.Continuation] = [:]
    /// The last number of a stream, an observer, a task or a background.
    private var lastNumber = 0
    private(set) var streams: [StreamID: EventStream] = [:]
    var tiedStates = TiedStates()
    var observations: [ObservedStream: SharedObservation] = [:]
    var tasks: [Int: TaskHold] = [:]
    var lastingCalls: [Int: LastingCall] = [:]
    /// The connections of suspensions that have not ended.
    var suspensions: [Int: BusLink] = [:]

    init(
        _ route: Route, patience: Patience = Patience(), logger: Logger, on own: LoopThread? = nil
    ) throws(ReveilleError) {
        thread = if let own { own } else { try ReveilleError.requiring { () throws(SystemError) in try LoopThread() } }
        self.route = route
        self.patience = patience
        self.logger = logger
    }

    /// The time of the wall clock that the program sees.
    var now: Timestamp { Timestamp(microseconds: thread.time.wallClock) }

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    func start() async throws(ReveilleError) {
        let channel = try newLink()
        channel.onLoss = { self.notReached(ReveilleError($0)) }
        channel.onRetry = { self.reconnect() }
        self.channel = channel
        if case .own(let start) = route {
            try ReveilleError.requiring { () throws(SystemError) in bus = try start(thread, logger) }
        }
        _ = try await call(Fence())
    }

    /// Ends everything on the engine's thread; the thread ends with the engine.
    func shutDown() {
        for task in tasks.values { task.end() }
        tasks = [:]
        for stream in streams.values { stream.shutDown() }
        for call in lastingCalls.values { call.end() }
        for channel in suspensions.values { channel.close() }
        for continuation in states.values { continuation.finish() }
        (streams, lastingCalls, states) = ([:], [:], [:])
        observations = [:]
        channel?.close()
        channel = nil
        tiedStates = TiedStates()
        bus?.stop()
        bus = nil
    }

    var connector: Connector {
        Connector(loop: thread.loop, patience: patience) { () throws(LinkFailure) in
            guard self.channel != nil else { throw .closed }
            switch self.route {
            case .socket(let address): return try Connector.open(address)
            case .own:
                return try LinkFailure.reaching { () throws(SystemError) in
                    guard let bus = self.bus else { throw SystemError("connect", code: ECONNREFUSED) }
                    return try bus.connect()
                }
            }
        }
    }

    func newLink() throws(ReveilleError) -> BusLink {
        try ReveilleError.requiring { () throws(SystemError) in try BusLink(connector) }
    }

    func checkIsOpen() throws(ReveilleError) {
        if channel == nil { throw .closed }
    }

    /// Returns the connection for calls; a new one begins with the states that are tied to it.
    func openChannel() throws(ReveilleError) -> BusLink {
        guard let channel else { throw .closed }
        if channel.open() {
            publishTiedStates(on: channel)
        } else if channel.isClosed, case .disconnected(let error) = connectionState {
            // A call would connect without the tied states.
            throw error
        }
        return channel
    }

    // MARK: - Reconnecting

    private func reconnect() {
        guard connectionState != .connected else { return }
        try? openChannel().call(Fence(), isOpening: true) { result in
            switch result {
            case .success: self.reached()
            case .failure(let error): self.notReached(error)
            }
        }
    }

    /// Notes that the bus answers, either an attempt to reconnect or an earlier call.
    func reached() {
        guard connectionState != .connected else { return }
        connectionState = .connected
        // Their own pauses may be longer.
        for stream in streams.values where stream.state.isLost { stream.open() }
    }

    private func notReached(_ error: ReveilleError) {
        connectionState = .disconnected(error)
        channel?.retry()
    }

    /// Returns whether the bus is reachable, now and after each change; only the newest state waits for the consumer.
    func connectionStates() -> AsyncStream<ConnectionState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionState.self, bufferingPolicy: .bufferingNewest(1))
        let number = nextNumber()
        states[number] = continuation
        if let connectionState { continuation.yield(connectionState) }
        continuation.onTermination = { [weak self] termination in
            // A stream that the engine finishes has been removed already.
            guard case .cancelled = termination, let self else { return }
            Task { await self.forgetStates(number) }
        }
        return stream
    }

    private func forgetStates(_ number: Int) {
        states[number] = nil
    }

    // MARK: - Streams

    func open(_ request: SubscriptionRequest, into mailbox: EventMailbox) async -> Result<StreamID, ReveilleError> {
        await withCheckedContinuation { continuation in
            open(request, into: mailbox) { id, result in continuation.resume(returning: result.map { id }) }
        }
    }

    /// The positions where the first subscriptions of a launched program continue.
    private static let launch = Lock(LaunchPositions(Device.launch))

    /// Subscribes, and calls back once with the outcome.
    @discardableResult
    func open(
        _ request: SubscriptionRequest, into sink: any EventSink,
        completion: @escaping (StreamID, Result<Void, ReveilleError>) -> Void
    ) -> StreamID {
        let id = nextNumber()
        var isFirst = true
        var request = request
        Engine.launch.withLock { $0.move(to: &request) }
        do throws(ReveilleError) {
            let stream = try ReveilleError.requiring { () throws(SystemError) in
                try EventStream(request, sink: sink, connector: connector, logger: logger) { result in
                    self.started(id, result)
                    if isFirst { completion(id, result) }
                    isFirst = false
                }
            }
            if request.startsInBackground { stream.background = EventStream.Background(number: nextNumber()) }
            streams[id] = stream
            stream.open()
        } catch {
            completion(id, .failure(error))
        }
        return id
    }

    private func started(_ id: StreamID, _ result: Result<Void, ReveilleError>) {
        guard case .success = result, let stream = streams[id] else {
            streams[id] = nil
            return
        }
        beginLostTasks(of: id, stream)
        // A background may have begun or ended in the meantime, and the bus does not know its deadline yet.
        let deadline = stream.background?.deadline
        let isInBackground = stream.background != nil
        let isInactive = stream.isInactive && !isInBackground
        guard deadline != nil || isInBackground != stream.state.wasOpenedInBackground || isInactive else { return }
        let state: RequestedState = isInBackground ? .background : isInactive ? .inactive : .foreground
        setState(of: stream, to: state, until: deadline) { _ in }
    }

    func close(_ id: StreamID) {
        endTasks(of: id)
        streams.removeValue(forKey: id)?.close()
    }
}
