// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleWire
import Varlink

/// Checks that a valid state is saved as it was loaded, both unchanged and after a bus has continued from it.
enum StateTarget {
    /// The number of names that are published again.
    private static let mostNames = 32

    static func check(_ bytes: [UInt8]) throws(Broken) {
        guard let json = try? JSON.parse(bytes), var state = try? StateCoding.decode(json) else { return }
        _ = state.removeDeepValues()
        try requireEqual(saved(state), state, "a state saved and loaded")
        var bus = FuzzedBus(restoring: state)
        let positions = Dictionary(
            state.entries.map { ($0.state.aspect, $0.generation / 2) }, uniquingKeysWith: { $1 })
        let names = Array(state.entries.map(\.state.aspect).filter(\.isPublished).prefix(mostNames))
        let patterns = AspectSet(names.compactMap { Aspect($0.name.prefix { $0 != "." } + ".*") })
        var methods: [any BusMethod] = [AspectSet.default, AspectSet(names), patterns].map { aspects in
            Subscribe(
                SubscriptionRequest(aspects: aspects, instance: state.instance, positions: positions))
        }
        methods += state.selections.map { selection in
            Subscribe(
                SubscriptionRequest(
                    aspects: .default, domains: selection.selection, instance: state.instance,
                    positions: [.defaults: selection.generation / 2]))
        }
        methods += [Refresh(), GetState(patterns)]
        methods += names.map { GetHistory($0) }
        for method in methods {
            guard let reply = try? bus.carryOut(method) else { throw Broken("a restored bus rejected \(method)") }
            try FuzzedBus.checkEvents(reply["events"] ?? .null)
        }
        for reading in state.entries.compactMap(\.state.reading) + [
            .proximity(.near), .defaults(Defaults(domains: [])),
        ] {
            bus.post(reading)
            try bus.check()
        }
        for (number, name) in names.enumerated() {
            let values: [JSONObject?] = [["new": .integer(Int64(number))], nil, [:]]
            for value in values.prefix(1 + number % values.count) {
                bus.publish(PublishedValue(name, value), isTied: number % 2 == 1)
                try bus.check()
            }
        }
        // A counter loaded just below the limit may have reached the limit.
        let later = bus.savedState
        let selected = later.selections.flatMap { [$0.generation, $0.sequence] }
        let counters = [later.sequence] + selected + later.entries.flatMap { [$0.generation, $0.sequence] }
        guard counters.allSatisfy({ $0 < StateCoding.counterLimit }) else { return }
        try requireEqual(saved(later), later, "a later state saved and loaded")
    }

    /// Returns a state after it was saved and loaded.
    static func saved(_ state: SavedState) -> SavedState? {
        guard let json = try? JSON.parse(StateCoding.encode(state)) else { return nil }
        return try? StateCoding.decode(json)
    }
}
