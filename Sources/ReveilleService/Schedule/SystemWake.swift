// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Logging
import ReveilleCore
package import ReveilleSystem
import ReveilleWire
import Varlink

/// A user's bus as a client of the system bus, which wakes the machine for it.
///
/// Loop thread only. It is connected while there is a time to wake at, so that it notices a restart of the system bus.
package final class SystemWake {
    /// How long a caller of Check waits for the system bus, which answers within milliseconds if it runs.
    ///
    /// A slow machine may take longer to start it by its socket, which looks as if it had stopped.
    private static let patience: Duration = .seconds(1)

    private let address: UnixAddress
    /// The entry's identifier among the user's entries on the system bus; each bus of the user has its own.
    private let id: String
    private let loop: any Loop
    private let logger: Logger
    private var handover = WakeHandover()
    private var connection: Connection?
    /// A restart of the system bus is short, and a machine may have none.
    private var backoff = Backoff(from: .milliseconds(100), to: .seconds(60))
    private var retry: (any LoopSource)?
    private var deadline: (any LoopSource)?
    private var askers: [() -> Void] = []
    /// The last failure that was logged.
    private var failure: String?
    /// The last answer to ``ask(_:)``.
    private(set) var answer: CapabilityAnswer = .unknown

    private struct Connection {
        let stream: UnixStream
        let source: any LoopSource
        var session = ClientSession()
        var output = PendingOutput()
    }

    /// Creates a client of the system bus at a path, for the bus that serves an address; `nil` for an invalid path.
    package init?(path: String, of served: UnixAddress, loop: any Loop, logger: Logger) {
        guard let address = try? UnixAddress("unix:" + path) else { return nil }
        self.address = address
        id = "\(served)"
        self.loop = loop
        self.logger = logger
    }

    /// Hands over the time at which the machine is to wake; `nil` for none.
    func set(to time: Int64?) {
        handover.time = time
        proceed()
    }

    /// Asks whether the machine wakes for this user; ``answer`` is up to date when the completion is called.
    func ask(_ completion: @escaping () -> Void) {
        askers.append(completion)
        guard askers.count == 1 else { return }
        do throws(SystemError) {
            deadline = try loop.timer { [unowned self] in
                settle(.no("the system bus has not answered within \(Self.patience); it may be starting"))
            }
            deadline?.fire(after: Self.patience)
            handover.ask()
            proceed()
        } catch {
            settle(.no("\(error)"))
        }
    }

    private func settle(_ answer: CapabilityAnswer) {
        self.answer = answer
        deadline = nil
        let waiting = askers
        askers = []
        for completion in waiting { completion() }
    }

    private func proceed() {
        while let step = handover.step() {
            do throws(SystemError) {
                switch step {
                case .connect: connection = try connect()
                case .send(let request): try send(Call(call(for: request)))
                case .disconnect: connection = nil
                }
            } catch {
                lose("\(error)")
            }
        }
    }

    private func call(for request: WakeHandover.Request) throws(SystemError) -> BusCall {
        switch request {
        case .check: return .check([Capability.wake.name])
        case .cancel: return .cancelEntry(id)
        case .add(let time):
            guard let aspect = Aspect(WakeHandover.name(of: geteuid())),
                let entry = try? ScheduleEntry(id: id, aspect: aspect, at: time, wake: true)
            else { preconditionFailure("an entry that no bus accepts") }
            return .addEntry(entry)
        }
    }

    // MARK: - The connection

    private func connect() throws(SystemError) -> Connection {
        let stream = try UnixStream(connectingTo: address, atMost: .zero)
        let source = try loop.watch(stream.number, for: [.readable, .writable, .halfClosed, .edge]) {
            [unowned self] _ in receive()
        }
        return Connection(stream: stream, source: source)
    }

    private func send(_ call: Call) throws(SystemError) {
        guard var connection else { return }
        let isOpen = try connection.output.write(connection.session.call(call), to: connection.stream)
        self.connection = connection
        if !isOpen { throw SystemError("send", on: address.path, code: EPIPE) }
    }

    private func receive() {
        do {
            while var connection {
                guard try connection.output.write(to: connection.stream) else { break }
                let outcome = try connection.stream.read { connection.session.receive($0) }
                let reply = try connection.session.nextReply()
                self.connection = connection
                if let reply { take(reply) }
                if reply == nil, outcome == .wouldBlock { return proceed() }
                if reply == nil, outcome == .ended { break }
            }
            lose("the system bus has closed the connection")
        } catch {
            lose("\(error)")
        }
        proceed()
    }

    private func take(_ reply: Reply) {
        backoff.reset()
        switch handover.answered() {
        case .check:
            let check = try? [CapabilityCheck](reply.parameters, noting: UnknownWords()).first
            switch check?.answer ?? .unknown {
            case .yes: settle(.yes)
            case .no(let reason): settle(.no("the system bus answers: \(reason)"))
            case .unknown: settle(.no("the system bus cannot wake the machine in this version"))
            }
        case .add: report(CallError(reply).map { "\($0)" })
        case .cancel, nil: break
        }
    }

    private func lose(_ reason: String) {
        connection = nil
        handover.lost()
        settle(.no("the system bus cannot be reached: \(reason)"))
        guard handover.isPaused else { return }
        report(reason)
        retry = try? loop.timer { [unowned self] in
            handover.retry()
            proceed()
        }
        retry?.fire(after: backoff.next(fraction: Double.random(in: 0...1)))
    }

    /// Logs why the system bus sets no alarm, once for each reason.
    private func report(_ failure: String?) {
        defer { self.failure = failure }
        guard let failure, failure != self.failure else { return }
        logger.notice("the system bus does not wake the machine for entries of this bus: \(failure)")
    }
}
