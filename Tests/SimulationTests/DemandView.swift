// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Varlink

/// A publisher that asks whether anybody needs its names, and what it knows.
final class DemandView {
    let peer: ScenePeer
    let aspects: [Aspect]
    private(set) var needed: [Aspect: Bool] = [:]

    init(_ peer: ScenePeer, of aspects: [Aspect]) {
        self.peer = peer
        self.aspects = aspects
        peer.send("ObserveDemand", ["aspects": .array(aspects.map { .string($0.name) })], more: true)
    }

    /// Reads one reply, and returns what it had; `nil` if there is none.
    @discardableResult
    func read() throws -> [Aspect: Bool]? {
        guard let reply = try peer.next() else { return nil }
        guard reply.error == nil, reply.continues else { throw Broken("\(reply)") }
        let demands = try [NameDemand](reply.parameters, noting: UnknownWords())
        let isFirst = needed.isEmpty
        guard !isFirst || Set(demands.map(\.aspect)) == Set(aspects) else { throw Broken("\(reply) to \(aspects)") }
        var changes: [Aspect: Bool] = [:]
        for demand in demands {
            guard needed[demand.aspect] != demand.isNeeded else { throw Broken("nothing new: \(reply)") }
            needed[demand.aspect] = demand.isNeeded
            changes[demand.aspect] = demand.isNeeded
        }
        guard !changes.isEmpty else { throw Broken("an empty reply") }
        return changes
    }

    func readAll() throws { while try read() != nil {} }
}
