// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension Broker {
    /// Answers a call about the device.
    func carryOut(_ call: DeviceCall, on connection: Connection) {
        switch call {
        case .info: reply(deviceInfo(connection.peer.uid), on: connection)
        case .check(let names): reply(check(names, for: connection), on: connection)
        }
    }

    /// Returns whether the device and the bus have capabilities, for a peer.
    private func check(_ names: [String], for connection: Connection) -> ListReply {
        // The search for a source can take as long as a list of all devices.
        var answers: [String: CapabilityAnswer] = [:]
        var names = names.makeIterator()
        return ListReply(of: CapabilityCheck.self) { [unowned self, unowned connection] in
            guard let name = names.next() else { return nil }
            let answer = answers[name] ?? answer(name, for: connection)
            answers[name] = answer
            return CapabilityCheck(name, answer).structure.bytes
        }
    }

    private func answer(_ name: String, for connection: Connection) -> CapabilityAnswer {
        if let aspect = Aspect(name) {
            // A pattern is not an aspect.
            guard !aspect.isPattern else { return .unknown }
            let source = source(of: aspect)
            return source.isAvailable ? .yes : .no(source.text)
        }
        switch Capability.Word(rawValue: name) {
        case .multitasking: return .yes
        case .suspend: return maySuspend(connection)
        case .launch: return mayLaunch(connection)
        case .publish: return mayPublish(connection)
        case nil: return .unknown
        }
    }

    /// Returns whether the cgroup of the caller could be frozen now.
    private func maySuspend(_ connection: Connection) -> CapabilityAnswer {
        guard let process = try? programs.process(behind: connection.stream) else {
            return .no("process \(connection.peer.pid) cannot be followed")
        }
        do throws(CannotFreeze) {
            _ = try programs.cgroup(
                suspending: process, subscribers: Set(processes.keys).union([connection.peer.pid]))
            return .yes
        } catch {
            return .no(error.reason)
        }
    }

    private func mayLaunch(_ connection: Connection) -> CapabilityAnswer {
        guard scheduler.services.launcher != nil else { return .no("a bus within a program starts no others") }
        return connection.peer.uid == owner
            ? .yes : .no("permission denied: this bus starts programs for uid \(owner) only")
    }

    private func mayPublish(_ connection: Connection) -> CapabilityAnswer {
        if isOwner(connection) { return .yes }
        guard isSystemWide else {
            return .no("permission denied: only root and uid \(owner) can publish on this bus, which is that user's")
        }
        return configuration.publish.allow.contains { $0.concerns(connection.peer.uid) }
            ? .yes : .no("permission denied: publish.allow grants uid \(connection.peer.uid) no name")
    }
}
