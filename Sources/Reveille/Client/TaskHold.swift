// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
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
        do throws(ReveilleError) {
            let connection = try BusConnection(connector)
            self.connection = connection
            connection.call(call, expecting: TaskState.self) { [weak self] in self?.take($0) }
        } catch {
            lose(error)
        }
    }

    private func take(_ result: Result<TaskState, ReveilleError>) {
        guard connection != nil else { return }
        switch result {
        case .success(let state):
            task.update(state)
            if state.hasEnded { end() } else { answered() }
        case .failure(let error): lose(error)
        }
    }

    private func lose(_ error: ReveilleError) {
        task.fail(error)
        end()
    }

    func end() {
        // The call fails, which is not a loss.
        let connection = connection
        self.connection = nil
        connection?.close()
        answered()
    }

    private func answered() {
        onAnswer?()
        onAnswer = nil
    }
}
