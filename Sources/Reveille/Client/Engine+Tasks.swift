// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleWire
import Varlink

extension Engine {
    /// Begins a task of a stream, waits for the answer of the bus, and returns the number for ``endTask(_:)``.
    ///
    /// If the bus is gone, the task begins when the stream is open again.
    func beginTask(_ task: BackgroundTask, of id: StreamID) async -> Int {
        let number = nextNumber()
        guard let stream = streams[id] else {
            task.fail(ReveilleError(.noSuchSubscription, "BeginTask: the subscription has ended"))
            return number
        }
        let hold = TaskHold(task, of: id, connector: connector)
        tasks[number] = hold
        guard let name = stream.state.name else {
            task.fail(.ended)
            return number
        }
        await withCheckedContinuation { continuation in
            hold.begin(of: name) { continuation.resume() }
        }
        if let failure = task.failure { logger.notice("nothing waits for the task: \(failure)") }
        return number
    }

    func endTask(_ number: Int) {
        tasks.removeValue(forKey: number)?.end()
    }

    /// Returns the time that the bus reports for a task of a stream; `nil` in the foreground, and for a task that the
    /// bus does not know.
    func remaining(of task: String, of id: StreamID) async -> Duration? {
        guard let name = streams[id]?.state.name,
            let subscribers = try? await call(Call(.listSubscriptions), expecting: [Subscriber].self)
        else { return nil }
        // All tasks of a subscription have the same time left.
        return subscribers.first { $0.id == name }?.tasks.first { $0.name == task }?.remaining
    }

    /// Begins the tasks of an accepted stream that the bus does not know.
    func beginLostTasks(of id: StreamID, _ stream: EventStream) {
        guard let name = stream.state.name else { return }
        for hold in tasks.values where hold.stream == id && hold.isLost { hold.begin(of: name) }
    }

    func endTasks(of id: StreamID) {
        for (number, hold) in tasks where hold.stream == id {
            tasks[number] = nil
            hold.end()
        }
    }
}
