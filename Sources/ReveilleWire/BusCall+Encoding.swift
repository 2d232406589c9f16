// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
package import Varlink

extension Call {
    package init(_ call: BusCall, isOneway: Bool = false) {
        let (method, parameters) = call.encoded
        self.init(
            method: method.rawValue, parameters: parameters,
            mode: isOneway ? .oneway : method.isStream || call == .followSubscriptions ? .more : .plain)
    }

    /// Creates a call of any method; a name without an interface is a method of the bus.
    package init(named name: String, parameters: JSONObject, mode: Mode) {
        let method = name.contains(".") ? name : BusInterface.qualified(name)
        self.init(method: method, parameters: parameters, mode: mode)
    }

    package static var info: Call { Call(method: "org.varlink.service.GetInfo") }

    /// A call without any effect.
    ///
    /// Its reply shows that the bus has processed every earlier call of the connection, and that everything the bus
    /// sent before, on any connection, can be read.
    package static var fence: Call { info }

    /// The method for messages: a method of the bus without its interface.
    package var shortName: String { interface == BusInterface.name ? member : method }
}

extension BusCall {
    fileprivate var encoded: (method: BusMethod, parameters: JSONObject) {
        switch self {
        case .subscribe(let request): return (.subscribe, Self.encode(request))
        case .setState(let subscription, let state, let wakeAfter):
            var parameters: JSONObject = [
                "subscription": .string(subscription), "state": .string(state.rawValue),
            ]
            if let wakeAfter { parameters["wakeAfter"] = .integer(wakeAfter.wholeMilliseconds) }
            return (.setState, parameters)
        case .getState(let aspects, let wantsSupply):
            var parameters: JSONObject = ["aspects": Self.encode(aspects)]
            parameters.ask(forSupply: wantsSupply)
            return (.getState, parameters)
        case .getHistory(let aspect, let limit, let wantsSupply):
            var parameters: JSONObject = ["aspect": .string(aspect.name)]
            if let limit { parameters["limit"] = .integer(Int64(limit)) }
            parameters.ask(forSupply: wantsSupply)
            return (.getHistory, parameters)
        case .listSubscriptions, .followSubscriptions: return (.listSubscriptions, [:])
        case .describeAspects: return (.describeAspects, [:])
        case .refresh: return (.refresh, [:])
        case .post(let reading): return (.post, [reading.aspect.name: ReadingCoding.encode(reading)])
        case .publish(let value, let isTied, let target):
            var parameters: JSONObject = ["aspect": .string(value.name.name), "value": value.structure]
            if isTied { parameters["whileConnected"] = true }
            if let target {
                parameters["instance"] = .string(target.instance)
                parameters["target"] = .integer(Int64(target.generation))
            }
            return (.publish, parameters)
        case .observeDemand(let aspects): return (.observeDemand, ["aspects": Self.encode(aspects)])
        case .beginTask(let subscription, let name):
            return (.beginTask, ["subscription": .string(subscription), "name": .string(name)])
        case .describeDevice: return (.describeDevice, [:])
        case .check(let names): return (.check, ["capabilities": .array(names.map { .string($0) })])
        case .addEntry(let entry): return (.addEntry, ["entry": entry.structure])
        case .cancelEntry(let id): return (.cancelEntry, id.map { ["id": .string($0)] } ?? [:])
        case .listEntries: return (.listEntries, [:])
        }
    }

    private static func encode(_ aspects: AspectSet) -> JSON {
        .array(aspects.aspects.map { .string($0.name) })
    }

    private static func encode(_ request: SubscriptionRequest) -> JSONObject {
        var parameters: JSONObject = ["aspects": encode(request.aspects)]
        parameters["domains"] = request.domains.map { .array($0.words.map { .string($0) }) }
        parameters.ask(forSupply: request.wantsSupply)
        if let name = request.name { parameters["name"] = .string(name) }
        if request.startsInBackground { parameters["state"] = "background" }
        if request.wantsInitial { parameters["initial"] = true }
        if let instance = request.instance { parameters["instance"] = .string(instance) }
        if let positions = request.positions {
            parameters["resume"] = .array(
                positions.sorted { $0.key < $1.key }.map {
                    ["aspect": .string($0.key.name), "generation": .integer(Int64($0.value))]
                })
        }
        if !request.policies.isEmpty {
            parameters["policies"] = .array(
                request.policies.sorted { $0.key < $1.key }.map { encode($0.value, of: $0.key) })
        }
        return parameters
    }

    private static func encode(_ policy: Policy, of aspect: Aspect) -> JSON {
        var object: JSONObject = [
            "aspect": .string(aspect.name), "netChangeOnly": .bool(policy.netChangeOnly),
        ]
        switch policy.background {
        case .coalesce: object["background"] = "coalesce"
        case .drop: object["background"] = "drop"
        case .immediate: object["background"] = "immediate"
        case .end: object["background"] = "end"
        case .hold(let limit):
            object["background"] = "hold"
            object["limit"] = .integer(Int64(limit))
        }
        // Only if set: an older bus refuses fields that it does not know.
        if let interval = policy.interval { object["interval"] = .integer(interval.wholeMilliseconds) }
        return .object(object)
    }
}

extension JSONObject {
    /// Adds the names of the optional fields that a client wants.
    fileprivate mutating func ask(forSupply wantsSupply: Bool) {
        // Only if it can matter: an older bus refuses parameters that it does not know.
        if wantsSupply { self["fields"] = [.string(BusCall.supplyField)] }
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up, since a hold never ends early, and limited to 64 bits.
    package var wholeMilliseconds: Int64 {
        let milliseconds = (self / .milliseconds(1)).rounded(.up)
        return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
    }
}
