// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleLink
import ReveilleSystem
import ReveilleWire
import Varlink

extension Engine {
    func enterBackground(wakeAfter: Duration?) async throws(ReveilleError) {
        try Self.check(wakeAfter)
        try checkIsOpen()
        // Any may end meanwhile.
        for id in streams.keys.sorted() where streams[id] != nil {
            try await enterBackground(id, wakeAfter: wakeAfter)
        }
    }

    func enterForeground(inactive: Bool) async throws(ReveilleError) {
        try checkIsOpen()
        for id in streams.keys.sorted() where streams[id] != nil {
            try await enterForeground(id, inactive: inactive)
        }
    }

    private func openStream(_ id: StreamID) throws(ReveilleError) -> EventStream {
        try checkIsOpen()
        guard let stream = streams[id] else { throw ReveilleError(.closed, "SetState: the subscription has ended") }
        return stream
    }

    /// Sends a stream to the background; a second call only replaces the deadline.
    func enterBackground(_ id: StreamID, wakeAfter: Duration?) async throws(ReveilleError) {
        try Self.check(wakeAfter)
        let stream = try openStream(id)
        let number = nextNumber()
        var background = EventStream.Background(number: number)
        if let milliseconds = wakeAfter?.wholeMilliseconds {
            background.timer = try ReveilleError.requiring { () throws(SystemError) in
                try thread.time.timer { Task { await self.timeIsOver(for: id, number) } }
            }
            background.timer?.fire(after: .milliseconds(milliseconds))
            background.deadline = bootClock + 1_000 * milliseconds
        }
        stream.isInactive = false
        let before = stream.background
        stream.background = background
        let result = await withCheckedContinuation { continuation in
            setState(of: stream, to: .background, until: background.deadline) {
                continuation.resume(returning: $0)
            }
        }
        switch result {
        case .failure(let error):
            guard stream.background?.number == number else { throw error }
            stream.background = before
            // The earlier deadline may have passed during the new background.
            if let before, let deadline = before.deadline, deadline <= bootClock {
                await timeIsOver(for: id, before.number)
            }
            throw error
        case .success(let hasReachedBus):
            guard hasReachedBus, before == nil, !stream.state.droppable.isEmpty else { return }
            guard let states = await states(of: stream.state.droppable, for: stream),
                stream.background?.number == number
            else { return }
            stream.readAll()
            stream.handle(.backgroundBegan(states))
        }
    }

    /// Returns the states of some aspects on the bus of a stream; `nil` if that bus does not answer.
    private func states(of aspects: AspectSet, for stream: EventStream) async -> [Event]? {
        guard let reply = try? await self.states(of: aspects),
            reply.instance == stream.state.instance
        else { return nil }
        return reply.events
    }

    /// Returns the states that a stream's policies have dropped in its background; none if the bus does not answer.
    private func droppedStates(of stream: EventStream) async -> EventStreamState.DroppedStates {
        let names = stream.state.namePositions
        let time = now
        guard let states = await states(of: stream.state.dropping, for: stream) else { return .init() }
        return EventStreamState.DroppedStates(states: states, names: names, time: time)
    }

    /// Ends a background at its deadline, which the bus keeps too, even if the bus does not answer.
    private func timeIsOver(for id: StreamID, _ background: Int) async {
        guard let stream = streams[id], stream.background?.number == background else { return }
        try? await enterForeground(id)
        if stream.background?.number == background { stream.background = nil }
    }

    /// Wakes a stream; if a new background begins before the bus has answered, the new background stays.
    func enterForeground(_ id: StreamID, inactive: Bool = false) async throws(ReveilleError) {
        let stream = try openStream(id)
        stream.isInactive = inactive
        let background = stream.background?.number
        // The bus may have ended the background at its deadline: later changes are not dropped.
        let isLate = stream.background?.deadline.map { $0 <= bootClock } ?? false
        let dropped = stream.state.dropping.isEmpty || isLate ? .init() : await droppedStates(of: stream)
        // The bus sends the events of the wake before its reply, unless an earlier reply is unread.
        stream.readAll()
        // Sent even for a stream that is awake: the bus may have carried out a call that had timed out here.
        let result = await withCheckedContinuation { continuation in
            setState(of: stream, to: inactive ? .inactive : .foreground, until: nil) {
                continuation.resume(returning: $0)
            }
        }
        if try result.get() { stream.handle(.backgroundEnded(dropped)) }
        // Events not taken before the background merge with these events.
        stream.readAll()
        if stream.background?.number == background { stream.background = nil }
    }

    private var bootClock: Int64 { Int64(thread.time.bootClock) }

    private static func check(_ wakeAfter: Duration?) throws(ReveilleError) {
        let range = BusInterface.wakeAfterRange
        guard let wakeAfter, !range.contains(wakeAfter) else { return }
        let most = range.upperBound.wholeMilliseconds
        throw ReveilleError(
            .invalidArgument,
            "wakeAfter must be from 1 millisecond to a year (\(most) milliseconds), not \(wakeAfter)")
    }

    /// How long to wait for a suspension: for the longest tasks, for the events to be read, and for the system.
    private static let suspensionTime: Duration = .seconds(240)

    /// Suspends a program, on a connection of its own: all later calls of a connection wait for the reply.
    func suspend(_ subscription: String, wakeAfter: Duration?) async throws(ReveilleError) {
        try Self.check(wakeAfter)
        var patient = connector
        patient.patience.answer = Self.suspensionTime
        let channel = try ReveilleError.requiring { () throws(SystemError) in try BusLink(patient) }
        let number = nextNumber()
        suspensions[number] = channel
        let call = SetState(subscription: subscription, to: .suspended, wakeAfter: wakeAfter)
        let result = await withCheckedContinuation { continuation in
            channel.call(call) { continuation.resume(returning: $0) }
        }
        channel.close()
        suspensions[number] = nil
        _ = try result.get()
    }

    /// Sets or clears the operator's hold of a subscription of any process.
    func setState(
        of subscription: String, isInBackground: Bool, wakeAfter: Duration?
    ) async throws(ReveilleError) {
        try Self.check(wakeAfter)
        let state: RequestedState = isInBackground ? .background : .foreground
        _ = try await call(SetState(subscription: subscription, to: state, wakeAfter: wakeAfter))
    }

    /// Brings a stream to a state by this process's hold, until a time in microseconds since boot.
    ///
    /// Calls back with whether the bus knows the state now. A bus that is gone, or that no longer knows the stream, gets the
    /// state when the stream is opened again.
    func setState(
        of stream: EventStream, to state: RequestedState, until deadline: Int64?,
        completion: @escaping (Result<Bool, ReveilleError>) -> Void
    ) {
        guard let name = stream.state.name, let channel = try? openChannel() else { return completion(.success(false)) }
        let left = deadline.map { Duration.microseconds(max(1_000, $0 - bootClock)) }
        channel.call(SetState(subscription: name, to: state, wakeAfter: left)) { result in
            switch result {
            case .success: completion(.success(true))
            case .failure(let error) where [.noBus, .noSuchSubscription].contains(error.code):
                completion(.success(false))
            case .failure(let error): completion(.failure(error))
            }
        }
    }
}
