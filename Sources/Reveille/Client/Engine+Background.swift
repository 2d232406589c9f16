// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension Engine {
    /// Sends all streams that there are to the background.
    func enterBackground(wakeAfter: Duration?) async throws(ReveilleError) {
        if let wakeAfter { _ = try Self.milliseconds(wakeAfter) }
        for id in streams.keys.sorted() { try await enterBackground(id, wakeAfter: wakeAfter) }
    }

    /// Wakes all streams that there are.
    func enterForeground() async throws(ReveilleError) {
        for id in streams.keys.sorted() { try await enterForeground(id) }
    }

    /// Sends a stream to the background; a second time only sets when it ends anew.
    func enterBackground(_ id: StreamID, wakeAfter: Duration?) async throws(ReveilleError) {
        let milliseconds: Int64? =
            if let wakeAfter { try Self.milliseconds(wakeAfter) } else { nil }
        guard let stream = streams[id] else { return }
        var background = newBackground()
        if let milliseconds {
            do throws(SystemError) {
                background.timer = try thread.loop.timer { [number = background.number] in
                    Task { await self.timeIsOver(for: id, number) }
                }
            } catch {
                throw ReveilleError(.system, "\(error)")
            }
            background.timer?.fire(after: .milliseconds(milliseconds))
            background.deadline = Clocks.boot() + 1_000 * milliseconds
        }
        let before = stream.background
        stream.background = background
        let result = await withCheckedContinuation { continuation in
            tell(stream, isInBackground: true, until: background.deadline) { continuation.resume(returning: $0) }
        }
        switch result {
        case .failure(let error):
            guard stream.background?.number == background.number else { throw error }
            stream.background = before
            // Its time may have come while another stood in its place.
            if let before, let deadline = before.deadline, deadline <= Clocks.boot() {
                await timeIsOver(for: id, before.number)
            }
            throw error
        case .success(let isTold):
            guard isTold, before == nil, !stream.droppable.isEmpty else { return }
            let states = await states(of: stream.droppable, for: stream)
            if stream.background?.number == background.number { stream.beginDropping(states) }
        }
    }

    /// The states of some aspects, on the bus that a stream is of; none where it cannot be asked.
    private func states(of aspects: AspectSet, for stream: EventStream) async -> [Event] {
        let names = aspects.aspects.map { JSON.string($0.rawValue) }
        guard let reply = try? await call("GetState", ["aspects": .array(names)]),
            reply["instance"]?.stringValue == stream.instance
        else { return [] }
        return (try? EventCoding.decodeAll(reply, noting: UnknownWords())) ?? []
    }

    /// Ends a background at its time, which the bus keeps too: even where the bus does not answer.
    private func timeIsOver(for id: StreamID, _ background: Int) async {
        guard let stream = streams[id], stream.background?.number == background else { return }
        try? await enterForeground(id)
        if stream.background?.number == background { stream.background = nil }
    }

    /// Wakes a stream: one event for each aspect that changed is due.
    ///
    /// A background that begins before the bus has answered is the newer wish, and stays.
    func enterForeground(_ id: StreamID) async throws(ReveilleError) {
        guard let stream = streams[id] else { return }
        let background = stream.background?.number
        // At its deadline the bus may have ended the background by itself: what came since is not dropped.
        let isLate = stream.background?.deadline.map { $0 <= Clocks.boot() } ?? false
        let dropped = stream.dropping.isEmpty || isLate ? [] : await states(of: stream.dropping, for: stream)
        // Told even to a stream that is awake: the bus may have carried out late what was given up as a timeout.
        let result = await withCheckedContinuation { continuation in
            tell(stream, isInBackground: false, until: nil) { continuation.resume(returning: $0) }
        }
        if try result.get() { stream.endDropping(at: dropped) }
        // What was not taken before the background is to be one with what comes now. It was sent before the answer
        // to a second call is; behind that it is there to read.
        if stream.hasLeftovers { _ = try? await call("org.varlink.service.GetInfo") }
        stream.readAll()
        if stream.background?.number == background { stream.background = nil }
    }

    /// Whole milliseconds, rounded up: nobody wakes early.
    ///
    /// - Throws: `invalidArgument` for a time that the interface does not allow.
    private static func milliseconds(_ wakeAfter: Duration) throws(ReveilleError) -> Int64 {
        let range = BusInterface.wakeAfterRange
        guard (Duration.milliseconds(range.lowerBound)...Duration.milliseconds(range.upperBound)).contains(wakeAfter)
        else {
            throw ReveilleError(
                .invalidArgument,
                "wakeAfter \(wakeAfter): it is from 1 millisecond to a year (\(range.upperBound) milliseconds)")
        }
        return Int64((wakeAfter / .milliseconds(1)).rounded(.up))
    }

    /// Sets or clears the operator's hold of somebody's subscription.
    func setState(
        of subscription: String, isInBackground: Bool, wakeAfter: Duration?
    ) async throws(ReveilleError) {
        var parameters: JSONObject = [
            "subscription": .string(subscription), "state": isInBackground ? "background" : "foreground",
        ]
        if let wakeAfter { parameters["wakeAfter"] = .integer(try Self.milliseconds(wakeAfter)) }
        _ = try await call("SetState", parameters)
    }

    /// Tells the bus, and says whether it knows now: where it is gone, or does not know the stream any more, it is told
    /// when it is back.
    func tell(
        _ stream: EventStream, isInBackground: Bool, until deadline: Int64?,
        completion: @escaping (Result<Bool, ReveilleError>) -> Void
    ) {
        guard let name = stream.name, let channel = try? openChannel() else { return completion(.success(false)) }
        var parameters: JSONObject = [
            "subscription": .string(name), "state": isInBackground ? "background" : "foreground",
        ]
        if let deadline { parameters["wakeAfter"] = .integer(max(1, (deadline - Clocks.boot() + 999) / 1_000)) }
        channel.call("SetState", parameters) { result in
            switch result {
            case .success: completion(.success(true))
            case .failure(let error) where [.noBus, .noSuchSubscription].contains(error.code):
                completion(.success(false))
            case .failure(let error): completion(.failure(error))
            }
        }
    }
}
