// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

// SetState.

extension Suspensions {
    func setState(
        _ name: String, to state: RequestedState, wakeAfter: Duration?, on connection: Connection
    ) throws(CallError) {
        let (_, target) = try access.subscription(name, for: connection)
        // All processes of other PID namespaces have the id 0, and cannot be distinguished.
        let isOwn = connection.peer.pid == target.peer.pid && connection.peer.pid != 0
        let reason: HoldReasons = isOwn ? .app : .operator
        guard state.isHeld else {
            target.deadlines[reason] = nil
            return wakeProgram(
                of: target, from: reason, into: state == .inactive ? .inactive : .usual, then: replying(to: connection))
        }
        do throws(SystemError) {
            try setDeadline(wakeAfter, of: reason, on: target)
        } catch {
            // Without its timer, the hold might never end.
            access.note("\(error)", of: connection.peer.uid, level: .error)
            throw .methodNotImplemented(BusMethod.setState.rawValue)
        }
        sendToBackground(target, for: reason)
        guard state == .suspended else { return runInBackground(target, then: connection) }
        try suspend(target, for: connection)
    }

    /// Holds a subscription, and begins the end of its program if it has declared that it ends in the background.
    private func sendToBackground(_ target: Connection, for reason: HoldReasons) {
        guard let id = target.subscription else { return }
        // A wake that still waits for a sample has taken back the end already.
        let wasInBackground = bus.isSentToBackground(id) && target.waking.isDisjoint(with: reason)
        access.hold(reason, on: target)
        if !wasInBackground { beginEnd(of: target) }
    }

    /// Replies once the program runs in the background; a suspended program is thawed first.
    private func runInBackground(_ target: Connection, then connection: Connection) {
        guard let suspension = suspension(of: target) else { return access.reply(EmptyReply(), on: connection) }
        takeBack(
            suspension, because: .cannotSuspend("it was put in the background, but not suspended"),
            then: replying(to: connection))
    }

    private func replying(to connection: Connection) -> () -> Void {
        { [weak self, weak connection] in connection.map { self?.access.replyAfterDeliveries(on: $0) } }
    }

    /// Clears a hold, and takes back the suspension or the end; a suspended program is thawed before its events.
    func wakeProgram(
        of target: Connection, from reason: HoldReasons, into phase: LifecyclePhase = .usual,
        then completion: @escaping () -> Void
    ) {
        let suspension = suspension(of: target)
        let error = CallError.cannotSuspend("it was woken")
        if let suspension {
            // It freezes nothing from now on.
            suspension.departure = nil
            answer(suspension, error)
        }
        // Another hold may keep the program in the background, where it ends.
        let others = target.subscription.flatMap { bus.holds(of: $0) }?.subtracting(reason) ?? []
        let wakes = others.isDisjoint(with: [.app, .operator])
        if wakes, let process = target.process { cancelEnd(of: process) }
        access.wake(target, from: reason, into: phase) { [weak self] in
            guard let self else { return }
            // The program may have been sent back during the sample; the later call decides.
            if let id = target.subscription, bus.holds(of: id)?.contains(reason) == true { return completion() }
            if wakes, let process = target.process { endTermination(of: process) }
            guard let suspension else { return completion() }
            takeBack(suspension, because: error, then: completion)
        }
    }

    private func setDeadline(
        _ wakeAfter: Duration?, of reason: HoldReasons, on target: Connection
    ) throws(SystemError) {
        guard let wakeAfter else {
            target.deadlines[reason] = nil
            return
        }
        // The target owns the timer.
        let timer = try loop.timer { [weak self, unowned target] in
            target.deadlines[reason] = nil
            self?.wakeProgram(of: target, from: reason) {}
        }
        timer.fire(after: wakeAfter)
        target.deadlines[reason] = timer
    }
}
