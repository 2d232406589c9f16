// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// Those who observe one aspect, and their stream.
final class ObserverLine {
    let observers: SharedObservation
    var stream: StreamID?
    /// How the stream started, once it has.
    var start: Result<Void, ReveilleError>?
    var waiting: [CheckedContinuation<Result<Void, ReveilleError>, Never>] = []

    init(_ observers: SharedObservation) {
        self.observers = observers
    }
}

extension Engine {
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
            let line = ObserverLine(try SharedObservation(of: aspect, loop: thread.loop, logger: logger))
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
}
