// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleLink
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
        let hold: TaskHold
        do throws(ReveilleError) {
            hold = TaskHold(task, of: id, on: try newLink())
        } catch {
            task.fail(error)
            return number
        }
        tasks[number] = hold
        guard let name = stream.state.name else {
            task.fail(ReveilleError(LinkFailure.ended))
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
            let subscribers = try? await call(ListSubscriptions()).subscriptions
        else { return nil }
        // All tasks of a subscription have the same time left.
        return subscribers.first { $0.id == name }?.tasks.first { $0.name == task }?.remaining
    }

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

/// A call of BeginTask, which lasts as long as its task; loop thread only.
final class TaskHold {
    let stream: StreamID
    private let task: BackgroundTask
    private let link: BusLink
    private var isHeld = false
    private var onAnswer: (() -> Void)?

    init(_ task: BackgroundTask, of stream: StreamID, on link: BusLink) {
        self.task = task
        self.stream = stream
        self.link = link
    }

    /// Whether the bus does not know of the task, because it has gone or was never reached.
    var isLost: Bool { !isHeld && !task.hasEnded }

    /// Begins the task of a subscription, and calls back once the bus has answered or cannot be reached.
    func begin(of subscription: String, completion: @escaping () -> Void = {}) {
        onAnswer = completion
        isHeld = true
        link.call(BeginTask(task.name, of: subscription)) { [weak self] in self?.take($0) }
    }

    private func take(_ result: Result<TaskState, ReveilleError>) {
        guard isHeld else { return }
        switch result {
        case .success(let state):
            task.update(state)
            if state.hasEnded { end() } else { answered() }
        case .failure(let error):
            task.fail(error)
            end()
        }
    }

    func end() {
        // The call fails, which is not a loss.
        isHeld = false
        link.close()
        answered()
    }

    private func answered() {
        onAnswer?()
        onAnswer = nil
    }
}
