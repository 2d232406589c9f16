// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Logging
import ReveilleCore
import ReveilleLink
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
    /// A restart of the system bus is short, and a machine may have none.
    private static let (shortestPause, longestPause): (Duration, Duration) = (.milliseconds(100), .seconds(60))

    /// The entry's identifier among the user's entries on the system bus; each bus of the user has its own.
    private let id: String
    private let loop: any Loop
    private let logger: Logger
    private let link: BusLink
    private var handover = WakeHandover()
    private var deadline: (any LoopSource)?
    private var askers: [() -> Void] = []
    /// The last failure that was logged.
    private var failure: String?
    /// The last answer to ``ask(_:)``.
    private(set) var answer: CapabilityAnswer = .unknown

    /// Creates a client of the system bus at a path, for the bus that serves an address; `nil` for an invalid path, and
    /// without the resources.
    package init?(path: String, of served: UnixAddress, loop: any Loop, logger: Logger) {
        guard let address = try? UnixAddress("unix:" + path) else { return nil }
        var patience = Patience()
        patience.pauses = Backoff(from: Self.shortestPause, to: Self.longestPause)
        patience.steady = Self.longestPause
        let connector = Connector(loop: loop, patience: patience) { () throws(LinkFailure) in
            try Connector.open(address)
        }
        guard let link = try? BusLink(connector) else { return nil }
        self.link = link
        id = "\(served)"
        self.loop = loop
        self.logger = logger
        link.onLoss = { [unowned self] in lose("\($0)") }
        link.onRetry = { [unowned self] in proceed() }
    }

    /// Hands over the time at which the machine is to wake; `nil` for none.
    func set(to time: Int64?) {
        handover.time = time
        if !link.isPausing { proceed() }
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
        guard let request = handover.next() else {
            if handover.isDone { link.close() }
            return
        }
        link.call(Call(method(for: request))) { [unowned self] in
            if case .success(let reply) = $0 { take(reply) }
        }
    }

    private func method(for request: WakeHandover.Request) -> any BusMethod {
        switch request {
        case .check: return CheckCapabilities([Capability.wake.name])
        case .cancel: return CancelEntry(id)
        case .add(let time):
            guard let aspect = Aspect(WakeHandover.name(of: geteuid())),
                let entry = try? ScheduleEntry(id: id, aspect: aspect, at: time, wake: true)
            else { preconditionFailure("an entry that no bus accepts") }
            return AddEntry(entry)
        }
    }

    private func take(_ reply: Reply) {
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
        proceed()
    }

    private func lose(_ reason: String) {
        handover.lost()
        settle(.no("the system bus cannot be reached: \(reason)"))
        guard !handover.isDone else { return }
        report(reason)
        link.retry()
    }

    /// Logs why the system bus sets no alarm, once for each reason.
    private func report(_ failure: String?) {
        defer { self.failure = failure }
        guard let failure, failure != self.failure else { return }
        logger.notice("the system bus does not wake the machine for entries of this bus: \(failure)")
    }
}
