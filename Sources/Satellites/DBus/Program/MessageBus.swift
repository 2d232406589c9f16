// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleDBusCore
import ReveilleHost
import ReveilleSystem
import Varlink

/// A message bus that is connected while something on it is needed.
final class MessageBus {
    /// The time in which a service answers.
    private static let timeout: Duration = .seconds(5)
    /// The most values and bytes of text of a message that is read: more than a service has to say.
    private static let sizeLimit = 1 << 20
    /// A message bus that is restarted is back within a second; one that is missing may remain so.
    private static let pauses = Backoff(from: .milliseconds(100), to: .seconds(60))

    private let bus: PropertyRule.Bus
    private let loop: EventLoop
    private let log: SubjectLog<String>
    private let onInput: (Follower.Input) -> Void
    private var connection: DBusConnection?
    private var handlers: [Int: DBusHandler] = [:]
    private var retry: EventSource?
    private var backoff = MessageBus.pauses

    init(
        _ bus: PropertyRule.Bus, on loop: EventLoop, log: SubjectLog<String>,
        onInput: @escaping (Follower.Input) -> Void
    ) throws(SystemError) {
        self.bus = bus
        self.loop = loop
        self.log = log
        self.onInput = onInput
        retry = try loop.timer { [unowned self] in
            release()
            open()
        }
    }

    func open() {
        do throws(SystemError) {
            let connection = try DBusConnection(to: bus == .session ? .user : .system, loop: loop)
            self.connection = connection
            connection.closed = { [unowned self] in lost("the connection was lost") }
            onInput(.opened(bus))
        } catch {
            lost("\(error)")
        }
    }

    func close() {
        retry?.disarm()
        backoff.reset()
        release()
    }

    /// Tries again later, since a connection must not be released by its own callback.
    private func lost(_ reason: String) {
        log.write(.warning, "the \(bus) bus of D-Bus: \(reason); trying again", about: bus.rawValue)
        onInput(.closed(bus))
        retry?.fire(after: backoff.next(fraction: 1))
    }

    private func release() {
        // They refer to the connection.
        handlers = [:]
        connection = nil
    }

    func match(_ number: Int, _ rule: String) {
        attempt { connection throws(SystemError) in
            handlers[number] = try connection.match(rule) { [unowned self] message in
                guard let path = message.object else { return }
                onInput(.signal(number, path: path, message.values(atMost: Self.sizeLimit)?.map(\.json)))
            }
        }
    }

    func unmatch(_ number: Int) { handlers[number] = nil }

    func call(_ number: Int, _ call: Follower.Call) {
        let isSent = attempt { connection throws(SystemError) in
            try connection.call(
                call.destination, call.path, call.interface, call.member, Self.values(call.argument),
                startsService: false, timeout: Self.timeout
            ) { [unowned self] reply in
                switch reply {
                case .success(let message):
                    backoff.reset()
                    log.settle(bus.rawValue)
                    let values = message.values(atMost: Self.sizeLimit)
                    if values == nil {
                        log.write(.warning, "\(call.path): the reply to \(call.member) is too large", about: call.path)
                    }
                    onInput(.reply(number, values?.map(\.json), isTimeout: false))
                case .failure(let error): onInput(.reply(number, nil, isTimeout: error.name == DBusError.late))
                }
            }
        }
        if !isSent { onInput(.reply(number, nil, isTimeout: false)) }
    }

    private static func values(_ argument: JSON?) -> [DBusValue] {
        if let texts = argument?.arrayValue { return [.strings(texts.compactMap(\.stringValue))] }
        return (argument?.stringValue).map { [.string($0)] } ?? []
    }

    @discardableResult
    private func attempt(_ body: (DBusConnection) throws(SystemError) -> Void) -> Bool {
        guard let connection else { return false }
        do throws(SystemError) {
            try body(connection)
            return true
        } catch {
            log.write(.warning, "the \(bus) bus of D-Bus: \(error)", about: error.operation)
            return false
        }
    }
}
