// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension DescribeDevice: ServedMethod {
    func carryOut(by server: BusServer, on connection: Connection) {
        server.reply(server.facilities.deviceInfo(connection.peer.uid), on: connection)
    }
}

extension CheckCapabilities: ServedMethod {
    func carryOut(by server: BusServer, on connection: Connection) {
        let isAsking = server.askSystemBus(
            about: names, for: connection.peer.uid,
            then: weakly(server) { $0.answerAfterDeliveries(.check(names), on: connection) })
        if !isAsking { server.check(names, for: connection) }
    }
}

extension BusServer {
    func check(_ names: [String], for connection: Connection) {
        // The search for a source can take as long as a list of all devices.
        var answers: [String: CapabilityAnswer] = [:]
        reply(each: names, on: connection) { [unowned connection] server, name in
            let answer = answers[name] ?? server.answer(name, for: connection)
            answers[name] = answer
            return CapabilityCheck(name, answer)
        }
    }

    private func answer(_ name: String, for connection: Connection) -> CapabilityAnswer {
        if let aspect = Aspect(name) {
            // A pattern is not an aspect.
            guard !aspect.isPattern else { return .unknown }
            let source = source(of: aspect)
            return source.isAvailable ? .yes : .no(source.source)
        }
        switch Capability.Word(rawValue: name) {
        case .multitasking: return .yes
        case .suspend: return maySuspend(connection)
        case .launch: return mayLaunch(connection.peer.uid)
        case .publish:
            return permissions.mayPublish(connection.peer.uid, allowing: configuration.publish.allow)
        case .wake: return mayWake(connection.peer.uid)
        case nil: return .unknown
        }
    }
}
