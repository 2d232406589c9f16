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
    private let logger = Logger(label: "reveille")
    private var bus: WatchedBus?
    private var channel: CallChannel?
    private var retry: EventSource?
    private var backoff = Backoff()
    private var random = SystemRandomNumberGenerator()
    private var streams: [StreamID: EventStream] = [:]
    private var lastStream = 0
    private var states: [Int: AsyncStream<ConnectionState>.Continuation] = [:]
    private var lastStates = 0
    private var state = ConnectionState.connected {
        didSet { if state != oldValue { for continuation in states.values { continuation.yield(state) } } }
    }
    private var lines = AspectTable<ObserverLine?>(repeating: nil)
    private var lastObserver = 0

    init(_ route: Route) throws(ReveilleError) {
        self.route = route
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
    }

    /// Ends everything; nothing may be asked of it afterwards.
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
        thread.stop()
    }

    private func connect() throws(SystemError) -> UnixStream {
        switch route {
        case .socket(let address): return try UnixStream(connectingTo: address)
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
        return try result.get()
    }

    @discardableResult
    private func openChannel() throws(ReveilleError) -> CallChannel {
        if let channel { return channel }
        do throws(SystemError) {
            let channel = try CallChannel(try connect(), loop: thread.loop) { self.lost($0) }
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
        retryLater()
    }

    private func retryLater() {
        retry?.fire(after: backoff.next(fraction: Double.random(in: 0...1, using: &random)))
    }

    private func reconnect() {
        for stream in streams.values where stream.isLost { stream.open() }
        guard channel == nil || state != .connected else { return }
        do throws(ReveilleError) {
            try openChannel().call("org.varlink.service.GetInfo", [:]) { result in
                if case .success = result { self.reached() }
            }
        } catch {
            state = .disconnected(error)
            retryLater()
        }
    }

    private func reached() {
        backoff.reset()
        state = .connected
    }

    /// Whether the bus is reached now, and each change of it; only the newest waits for who does not look.
    func connectionStates() -> AsyncStream<ConnectionState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionState.self, bufferingPolicy: .bufferingNewest(1))
        lastStates += 1
        let number = lastStates
        states[number] = continuation
        continuation.yield(state)
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
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
            request, sink: sink, loop: thread.loop,
            connect: { () throws(SystemError) in try self.connect() },
            onStart: { result in
                self.started(id, result)
                if isFirst { completion(id, result) }
                isFirst = false
            },
            onLoss: { self.retryLater() })
        streams[id] = stream
        stream.open()
        return id
    }

    private func started(_ id: StreamID, _ result: Result<Void, ReveilleError>) {
        guard case .success = result, let stream = streams[id] else {
            streams[id] = nil
            return
        }
        backoff.reset()
        // A background that began while the bus was gone, or is to end by itself.
        if let background = stream.background {
            tell(stream, isInBackground: true, until: background.deadline) { _ in }
        }
    }

    /// Ends a stream; one that has ended already stays so.
    func close(_ id: StreamID) {
        streams.removeValue(forKey: id)?.close()
    }

    /// Sends all streams that there are to the background.
    func enterBackground(wakeAfter: Duration?) async throws(ReveilleError) {
        for id in streams.keys.sorted() { try await enterBackground(id, wakeAfter: wakeAfter) }
    }

    /// Wakes all streams that there are.
    func enterForeground() async throws(ReveilleError) {
        for id in streams.keys.sorted() { try await enterForeground(id) }
    }

    // MARK: - Observers

    /// Those who observe one aspect, and their stream.
    private final class ObserverLine {
        let observers: Observers
        var stream: StreamID?
        /// How the stream started, once it has.
        var start: Result<Void, ReveilleError>?
        var waiting: [CheckedContinuation<Result<Void, ReveilleError>, Never>] = []

        init(_ observers: Observers) {
            self.observers = observers
        }
    }

    /// Adds an observer of an aspect, behind those that there are.
    ///
    /// - Returns: Its name, for ``stopObserving(_:id:)``; once changes are seen.
    func observe(
        _ aspect: Aspect, _ sink: sending any EventSink, wantsCurrent: Bool
    ) async throws(ReveilleError) -> Int {
        lastObserver += 1
        let id = lastObserver
        let line = try line(of: aspect)
        line.observers.add(id, sink, wantsCurrent: wantsCurrent)
        if line.stream == nil {
            let request = SubscriptionRequest(aspects: AspectSet(aspect), name: "observers of \(aspect)")
            line.stream = open(request, into: line.observers) { _, result in
                line.start = result
                if case .failure = result { self.lines[aspect] = nil }
                for continuation in line.waiting { continuation.resume(returning: result) }
                line.waiting = []
            }
        }
        // Where the bus is found gone at once, there is nothing to wait for.
        if let start = line.start {
            try start.get()
        } else {
            try await withCheckedContinuation { line.waiting.append($0) }.get()
        }
        return id
    }

    private func line(of aspect: Aspect) throws(ReveilleError) -> ObserverLine {
        if let line = lines[aspect], !line.observers.hasFinished { return line }
        do throws(SystemError) {
            let line = ObserverLine(try Observers(of: aspect, loop: thread.loop, logger: logger))
            lines[aspect] = line
            return line
        } catch {
            throw ReveilleError(.system, "\(error)")
        }
    }

    /// Takes an observer away; with the last one the stream ends.
    func stopObserving(_ aspect: Aspect, id: Int) {
        guard let line = lines[aspect] else { return }
        line.observers.remove(id)
        guard line.observers.hasNobody, line.start != nil else { return }
        if let stream = line.stream { close(stream) }
        lines[aspect] = nil
    }

    // MARK: - Background

    /// Sends a stream to the background; a second time only sets when it ends anew.
    func enterBackground(_ id: StreamID, wakeAfter: Duration?) async throws(ReveilleError) {
        guard let stream = streams[id] else { return }
        var background = EventStream.Background()
        if let wakeAfter {
            do throws(SystemError) {
                background.timer = try thread.loop.timer { Task { try await self.enterForeground(id) } }
            } catch {
                throw ReveilleError(.system, "\(error)")
            }
            background.timer?.fire(after: wakeAfter)
            background.deadline = Clocks.boot() + Int64(wakeAfter / .microseconds(1))
        }
        let before = stream.background
        stream.background = background
        let result = await withCheckedContinuation { continuation in
            tell(stream, isInBackground: true, until: background.deadline) { continuation.resume(returning: $0) }
        }
        if case .failure(let error) = result {
            stream.background = before
            throw error
        }
    }

    /// Wakes a stream: one event for each aspect that changed is due.
    func enterForeground(_ id: StreamID) async throws(ReveilleError) {
        guard let stream = streams[id], stream.background != nil else { return }
        let result = await withCheckedContinuation { continuation in
            tell(stream, isInBackground: false, until: nil) { continuation.resume(returning: $0) }
        }
        if case .failure(let error) = result { throw error }
        // What was not taken before the background is to be one with what comes now. It was sent before the answer
        // to a second call is; behind that it is there to read.
        if stream.hasLeftovers { _ = try? await call("org.varlink.service.GetInfo") }
        stream.readAll()
        stream.background = nil
    }

    /// Sets or clears the operator's hold of somebody's subscription.
    func setState(
        of subscription: String, isInBackground: Bool, wakeAfter: Duration?
    ) async throws(ReveilleError) {
        var parameters: JSONObject = [
            "subscription": .string(subscription), "state": isInBackground ? "background" : "foreground",
        ]
        if let wakeAfter { parameters["wakeAfter"] = .integer(Int64(wakeAfter / .milliseconds(1))) }
        _ = try await call("SetState", parameters)
    }

    /// Tells the bus; where it is gone, or does not know the stream any more, it is told when it is back.
    private func tell(
        _ stream: EventStream, isInBackground: Bool, until deadline: Int64?,
        completion: @escaping (Result<Void, ReveilleError>) -> Void
    ) {
        guard let name = stream.name, let channel = try? openChannel() else { return completion(.success(())) }
        var parameters: JSONObject = [
            "subscription": .string(name), "state": isInBackground ? "background" : "foreground",
        ]
        if let deadline { parameters["wakeAfter"] = .integer(max(1, (deadline - Clocks.boot()) / 1_000)) }
        channel.call("SetState", parameters) { result in
            switch result {
            case .success: completion(.success(()))
            case .failure(let error) where [.noBus, .noSuchSubscription].contains(error.code): completion(.success(()))
            case .failure(let error): completion(.failure(error))
            }
        }
    }
}

/// Names a stream of an engine.
typealias StreamID = Int
