// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// A call of BeginTask, which lasts as long as its task.
///
/// Loop thread only.
final class TaskHold {
    let stream: StreamID
    private let task: BackgroundTask
    private let connector: Connector
    private var connection: BusConnection?
    /// Runs until the first reply of the bus.
    private var timer: EventSource?
    private var onAnswer: (() -> Void)?

    init(_ task: BackgroundTask, of stream: StreamID, connector: Connector) {
        self.task = task
        self.stream = stream
        self.connector = connector
    }

    /// Whether the bus does not know of the task, because it has gone or was never reached.
    var isLost: Bool { connection == nil && !task.hasEnded }

    /// Begins the task of a subscription, and calls back once the bus has answered or cannot be reached.
    func begin(of subscription: String, completion: @escaping () -> Void = {}) {
        onAnswer = completion
        let call = Call(.beginTask(subscription: subscription, name: task.name))
        do throws(SystemError) {
            let patience = connector.patience.answer
            timer = try connector.loop.timer { [weak self] in self?.lose(.unanswered(call, within: patience)) }
            timer?.fire(after: patience)
            connection = try BusConnection(
                connector, onReply: { [weak self] in self?.take($0, to: call) },
                onEnd: { [weak self] in self?.lose($0) })
            connection?.send(call)
        } catch {
            lose(ReveilleError(reaching: error))
        }
    }

    /// Ends the task.
    func end() {
        disconnect()
    }

    private func take(_ reply: Reply, to call: Call) {
        let state: TaskState
        do throws(ReveilleError) {
            state = try TaskState(reply, to: call)
        } catch {
            return lose(error)
        }
        task.update(state)
        if state.hasEnded { disconnect() } else { answered() }
    }

    private func lose(_ error: ReveilleError) {
        task.fail(error)
        disconnect()
    }

    private func disconnect() {
        connection?.close()
        connection = nil
        answered()
    }

    private func answered() {
        timer = nil
        onAnswer?()
        onAnswer = nil
    }
}
