// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension BusServer {
    func check(_ names: [String], for connection: Connection) -> ListReply {
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
        case .suspend: return parts.suspensions.maySuspend(connection)
        case .launch: return parts.schedule.mayLaunch(connection.peer.uid)
        case .publish:
            return permissions.mayPublish(connection.peer.uid, allowing: configuration.publish.allow)
        case nil: return .unknown
        }
    }
}
