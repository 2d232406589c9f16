// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing

@Suite struct BusModelTests {
    private static let operations = 100_000
    private static let history = 12

    @Test(
        "B23, B36: in any order of calls, the bus delivers what queues would, and its changes add up",
        arguments: [UInt64.random(in: 0..<1_000_000), .random(in: 0..<1_000_000), 708_728, 1, 2, 823_669])
    func busDeliversWhatQueuesWouldDeliver(seed: UInt64) {
        print("bus model: seed \(seed)")
        var random = RandomOperations(seed: seed, history: Self.history)
        var model = BusModel(history: Self.history)
        for operation in 0..<Self.operations {
            do throws(Broken) {
                try random.perform(on: &model)
                try model.checkVacancies()
                if operation % 32 == 0 { try model.check(limit: random.limit()) }
            } catch {
                Issue.record("seed \(seed), operation \(operation): \(error)")
                return
            }
        }
        do throws(Broken) {
            for id in model.clients.keys { model.release([.background, .unread], from: id) }
            try model.deliver()
        } catch {
            Issue.record("seed \(seed), at the end: \(error)")
        }
    }
}

struct RandomOperations {
    static let names: [Aspect] = [
        "org.a", "org.a.x", "org.a.y", "org.a.x.z", "org.b-1", "com.example.volume",
    ]
    static let patterns: [Aspect] = ["org.*", "org.a.*", "org.a.x.*", "com.*", "net.*"]
    private static let mostClients = 12
    private static let selections = [["app/*"], ["app/a"], ["dconf"], ["dconf:/x/"], ["app/b", "dconf:/x/"], ["none"]]

    private var random: SplitMix64
    private var lateness: SplitMix64
    private let history: Int

    init(seed: UInt64, history: Int) {
        random = SplitMix64(seed: seed)
        lateness = SplitMix64(seed: ~seed)
        self.history = history
    }

    private mutating func number(below limit: Int) -> Int {
        Int(random.next() % UInt64(limit))
    }

    private mutating func one<Element>(of elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }

    mutating func limit() -> Int? {
        let limit = number(below: history + 3)
        return limit == 0 ? nil : limit
    }

    mutating func perform(on model: inout BusModel) throws(Broken) {
        // In a fixed order, since a seed must lead to the same operations.
        let ids = model.clients.keys.sorted { $0.rawValue < $1.rawValue }
        // Another generator, since lateness changes nothing that the bus delivers.
        if let id = ids.randomElement(using: &lateness) { model.setLate(Bool.random(using: &lateness), id) }
        switch number(below: 26) {
        case 0, 1: if ids.count < Self.mostClients { try model.subscribe(request(model)) }
        case 2: if !ids.isEmpty, number(below: 3) == 0 { model.cancel(one(of: ids)) }
        case 3..<7: if !ids.isEmpty { model.hold(reason(), on: one(of: ids)) }
        case 7..<12: if !ids.isEmpty { model.release(reason(), from: one(of: ids)) }
        case 12, 13: try model.deliver()
        case 14, 15: model.pass(one(of: [1, 500, 1_000, 20_000, 100_000]))
        case 16..<20: model.report(reading())
        case 20: try model.endConnection(UInt64(number(below: 3)))
        case 21: if number(below: 200) == 0 { model.restart() }
        default:
            let publisher = Publisher(
                user: UInt32(1 + number(below: 2)), connection: number(below: 3) == 0 ? UInt64(number(below: 3)) : nil)
            try model.publish(
                one(of: Self.names), one(of: [nil, nil, "{}", #"{"a":1}"#]), by: publisher,
                ahead: one(of: [nil, nil, nil, nil, -1, 0, 1, 2, 20]))
        }
    }

    private mutating func request(_ model: BusModel) -> SubscriptionRequest {
        var request = SubscriptionRequest()
        if !model.gone.isEmpty, number(below: 2) == 0 {
            let client = one(of: model.gone)
            request = client.request
            request.instance = number(below: 16) == 0 ? "other" : client.instance
            request.positions = client.positions
            if request.domains != nil, number(below: 4) == 0 {
                request.domains = try? DomainSelection(one(of: Self.selections))
                if request.positions?[.defaults] != nil { request.positions?[.defaults] = 0 }
            }
        } else {
            let all = Aspect.device + [.lifecycle] + Self.names + Self.patterns
            request.aspects = AspectSet(all.filter { _ in number(below: 4) == 0 })
            request.wantsSupply = number(below: 2) == 0
            for aspect in all where number(below: 2) == 0 {
                let policy = policy()
                // The server refuses other policies of patterns.
                if !aspect.isPattern || request.aspects.contains(aspect) { request.policies[aspect] = policy }
            }
            if request.aspects.contains(Aspect.defaults), number(below: 4) > 0 {
                request.domains = try? DomainSelection(one(of: Self.selections))
            }
        }
        request.startsInBackground = number(below: 4) == 0
        request.wantsInitial = number(below: 2) == 0
        return request
    }

    private mutating func policy() -> Policy {
        let backgrounds: [Policy.Background] = [
            .coalesce, .drop, .immediate, .hold(limit: 1 + number(below: history)),
        ]
        let intervals: [Duration?] = [nil, nil, .milliseconds(1), .milliseconds(5), .milliseconds(80)]
        return Policy(
            background: one(of: backgrounds), netChangeOnly: number(below: 3) == 0, interval: one(of: intervals))
    }

    private mutating func reason() -> HoldReasons {
        // The server clears `unread` when the peer has read, which must be frequent for deliveries to occur.
        one(of: [.app, .operator, .frozen, .unread, .unread, .unread])
    }

    /// Returns one of few values, so that states recur often.
    private mutating func reading() -> Reading {
        switch number(below: 8) {
        case 0: .level(number(below: 3), supply: one(of: [nil, .mains, .usb]))
        case 1: .language(one(of: ["en_US", "de_DE", "fr_FR"]))
        case 2: .proximity(one(of: [.near, .far, .unknown]))
        case 3: .sample(Double(number(below: 2)))
        case 4: .shake(Double(2 + number(below: 2)))
        case 5, 6: settings()
        default: .pose(one(of: [.portrait, .faceUp, .unknown]))
        }
    }

    private mutating func settings() -> Reading {
        var domains: [String: [String: UInt64]] = [:]
        for (name, keys) in [("app/a", ["k"]), ("app/b", []), ("dconf", ["/x/1", "/x/y/2", "/z/3"]), ("other", ["k"])]
        where number(below: 6) > 0 {
            domains[name] = [:]
            for key in keys where number(below: 4) > 0 { domains[name]?[key] = UInt64(number(below: 2)) }
        }
        guard domains["dconf"] != nil, number(below: 6) == 0 else { return .settings(domains) }
        domains["dconf"] = ["": UInt64(number(below: 2))]
        return .settings(domains, opaque: ["dconf"])
    }
}
