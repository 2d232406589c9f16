// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem

/// One connection to a broker by MQTT 5, established once: reconnecting is up to its owner.
///
/// libmosquitto runs on a thread of its own, which takes requests; the loop delivers its events. Messages that the
/// broker has not acknowledged are lost with the connection. Loop thread only.
package final class MQTTConnection {
    /// The time from the start to the broker's answer, including TLS; the same as for other peers.
    package static let connectPatience: Duration = .seconds(10)
    /// How long a call that ends the connection waits for the thread, since the program may end next.
    private static let endPatience: Duration = .seconds(1)

    private let options: Options
    private let loop: EventLoop
    private let onEvent: (Event) -> Void
    /// The thread, until the connection has ended.
    private var thread: MQTTThread?
    private var source: EventSource?
    private var timer: EventSource?
    private var isConnected = false
    private var lastRequest: Int32 = 0
    /// The requests that the broker has not answered.
    private var unanswered: Set<Int32> = []
    /// When the broker last answered a request, or owed no answer, in microseconds since boot.
    private var answeredAt: UInt64 = 0

    /// Starts to connect; the broker must answer within the patience.
    ///
    /// `onEvent` is called on the loop, never before this returns. It may close or release the connection.
    package init(
        _ options: Options, on loop: EventLoop, patience: Duration = connectPatience,
        onEvent: @escaping (Event) -> Void
    ) throws(MQTTError) {
        self.options = options
        self.loop = loop
        self.onEvent = onEvent
        do throws(SystemError) {
            let thread = try MQTTThread(options)
            timer = try loop.timer { [weak self] in self?.timeIsOver() }
            source = try loop.watch(thread.events.descriptor, for: .readable) { [weak self] _ in self?.deliver() }
            try thread.start()
            self.thread = thread
        } catch {
            release()
            throw self.error(.unreachable, "\(error)")
        }
        timer?.fire(after: patience)
    }

    deinit {
        close()
    }

    // MARK: - Requests

    /// Publishes a message at QoS 1, and returns its identifier in ``Event/acknowledged(_:refusal:code:)``.
    ///
    /// An empty payload with `retain` deletes the retained message. The broker discards the message after
    /// the expiry in seconds.
    @discardableResult
    package func publish(_ payload: [UInt8], to topic: String, retain: Bool, expiry: UInt32? = nil) -> Int32 {
        request(.publish(payload, topic: topic, retain: retain, expiry: expiry))
    }

    /// Subscribes to topics, and returns the identifier in ``Event/subscribed(_:codes:)``.
    ///
    /// The messages that the broker keeps follow if they are wanted; `qos` is the greatest QoS of all messages, 0 or 1.
    @discardableResult
    package func subscribe(to filters: [String], qos: Int32 = 1, wantsRetained: Bool = true) -> Int32 {
        request(.subscribe(filters, qos: qos, wantsRetained: wantsRetained))
    }

    /// Ends subscriptions; messages that are on their way still arrive.
    package func unsubscribe(from filters: [String]) {
        if isConnected { thread?.commands.put(.request(.unsubscribe(filters), 0)) }
    }

    /// Sends all published messages and a DISCONNECT, which makes the broker discard the will, and closes the
    /// connection.
    ///
    /// No event follows. The DISCONNECT waits for the broker's acknowledgements, for a limited time. If they are late,
    /// the connection closes later, or when the program ends.
    package func disconnect() {
        stop(by: isConnected ? .disconnect : .close)
    }

    /// Closes the connection at once, without further events, as if it were lost: the broker publishes the will.
    package func close() {
        stop(by: .close)
    }

    private func request(_ request: MQTTThread.Request) -> Int32 {
        lastRequest &+= 1
        // The owner hears of the end, or has ended the connection.
        guard isConnected, let thread else { return lastRequest }
        if unanswered.isEmpty {
            answeredAt = loop.bootClock
            timer?.fire(after: options.answerPatience)
        }
        unanswered.insert(lastRequest)
        thread.commands.put(.request(request, lastRequest))
        return lastRequest
    }

    private func stop(by command: MQTTThread.Command) {
        guard let thread else { return }
        release()
        thread.commands.put(command)
        thread.awaitEnd(atMost: Self.endPatience)
    }

    /// Lets go of the thread, and ends the source before its descriptor is closed.
    private func release() {
        source?.cancel()
        source = nil
        timer = nil
        thread = nil
    }

    // MARK: - Events

    private func deliver() {
        for event in thread?.takeEvents() ?? [] {
            // The owner may have closed the connection.
            guard thread != nil else { return }
            switch event {
            case .connected: isConnected = true
            case .acknowledged(let request, _, _), .subscribed(let request, _):
                unanswered.remove(request)
                answeredAt = loop.bootClock
            case .message: answeredAt = loop.bootClock
            case .ended: release()
            }
            onEvent(event)
        }
    }

    private func timeIsOver() {
        // A busy loop may not have delivered the answer yet.
        deliver()
        guard thread != nil else { return }
        guard isConnected else { return end(.unreachable, "the broker did not answer in time") }
        guard !unanswered.isEmpty else { return }
        let (now, due) = (loop.bootClock, answeredAt + EventLoop.microseconds(options.answerPatience))
        if now < due { return timer?.fire(after: .microseconds(due - now)) ?? () }
        end(.lost, "the broker did not answer a request in time")
    }

    private func end(_ kind: MQTTError.Kind, _ reason: String) {
        close()
        onEvent(.ended(error(kind, reason)))
    }

    private func error(_ kind: MQTTError.Kind, _ reason: String) -> MQTTError {
        MQTTError(kind, reason, of: options.broker, isConnected: isConnected)
    }
}
