// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleDBusCore
import ReveilleSimulation
import Varlink

/// A random life of services and message buses, whose end is compared with what a naive reader finds.
struct Life {
    static let names = [
        "org.mpris.MediaPlayer2.a", "org.mpris.MediaPlayer2.b.c", "org.bluez", "org.freedesktop.UPower",
        "org.freedesktop.UPower.PowerProfiles", "net.hadess.PowerProfiles", "org.freedesktop.login1",
        "org.freedesktop.portal.Desktop", "org.freedesktop.systemd1",
    ]
    private static let unit = "/org/freedesktop/systemd1/unit/a_2eservice"
    private static let configuration = #"{ units: { system: ["a.service"] } }"#

    var world: World
    private let choices: Choices
    private var needed: Set<Aspect> = []
    private let configuration: DBusConfiguration

    init(seed: UInt64) throws {
        choices = Choices(seed: seed)
        configuration = try DBusConfiguration(parsing: Array(Self.configuration.utf8))
        world = World(configuration, choices)
    }

    mutating func run() -> String? {
        for _ in 0..<120 where world.problem == nil { step() }
        world.settle()
        if let problem = world.problem ?? leftover { return problem }
        for bus in PropertyRule.Bus.allCases { world.comeBack(bus) }
        for name in Self.names { world.export(name, announces: true) }
        world.settle()
        for name in world.published.keys.sorted() where choices.happens(onceIn: 3) {
            world.overrule(name, choices.happens(onceIn: 2) ? nil : ["other": true])
        }
        for demand in configuration.demands.aspects {
            let isNeeded = needed.contains(demand) || choices.happens(onceIn: 2)
            setNeeded(demand, false)
            setNeeded(demand, isNeeded)
        }
        world.settle()
        return world.problem ?? difference
    }

    private mutating func step() {
        switch choices.number(below: 18) {
        case 0: appear(choices.one(of: Self.names), isExported: !choices.happens(onceIn: 4))
        case 1: world.leave(choices.one(of: Self.names))
        case 2, 3: setNeeded(choices.one(of: configuration.demands.aspects), choices.happens(onceIn: 2))
        case 4, 5, 6: change()
        case 7, 8, 9: world.answerOne(mayBeSilent: true)
        case 10, 11: world.deliverOne()
        case 12: world.acceptOne(mayRefuse: true)
        case 13: world.pass(Int64(choices.one(of: [0, 1_000, 20_000, 61_000_000])))
        case 14:
            let name = choices.one(of: ["org.bluez", "org.freedesktop.UPower"])
            let path = device(of: name, choices.number(below: 3))
            world.setObject(path, choices.happens(onceIn: 2) ? nil : interfaces(of: name), of: name)
        case 15: world.export(choices.one(of: Self.names), announces: choices.happens(onceIn: 2))
        case 16:
            let bus = choices.one(of: PropertyRule.Bus.allCases)
            if choices.happens(onceIn: 3) { world.goAway(bus) } else { world.comeBack(bus) }
        default:
            if choices.happens(onceIn: 4) { world.restart(choices.one(of: PropertyRule.Bus.allCases)) }
            if choices.happens(onceIn: 8) {
                needed = []
                world.restartReveille()
            }
        }
    }

    mutating func need(_ isNeeded: Bool) {
        for demand in configuration.demands.aspects { setNeeded(demand, isNeeded) }
        if isNeeded { world.settle() }
    }

    private mutating func setNeeded(_ demand: Aspect, _ isNeeded: Bool) {
        if isNeeded { needed.insert(demand) } else { needed.remove(demand) }
        world.need(demand, isNeeded)
    }

    // MARK: - Objects

    mutating func appear(_ name: String, isExported: Bool = true) {
        var objects: [String: [String: [String: JSON]]] = [:]
        switch name {
        case "org.bluez", "org.freedesktop.UPower":
            for number in 0..<choices.number(below: 3) { objects[device(of: name, number)] = interfaces(of: name) }
        default:
            for rule in configuration.rules where rule.service.matches(name) {
                for path in Self.paths(of: rule) {
                    for member in rule.members {
                        objects[path, default: [:]][member.property.interface, default: [:]][member.property.name] =
                            value()
                    }
                }
            }
        }
        world.appear(name, objects, isExported: isExported)
    }

    private func device(of name: String, _ number: Int) -> String {
        name == "org.bluez" ? "/org/bluez/hci0/dev_\(number)" : "/org/freedesktop/UPower/devices/d_\(number)"
    }

    private func interfaces(of name: String) -> [String: [String: JSON]] {
        guard name == "org.bluez" else {
            return [
                "org.freedesktop.UPower.Device": [
                    "Model": value(), "PowerSupply": .bool(choices.happens(onceIn: 2)), "Percentage": value(),
                ]
            ]
        }
        var all = ["org.bluez.Device1": ["Alias": value(), "Paired": .bool(!choices.happens(onceIn: 3))]]
        if choices.happens(onceIn: 2) { all["org.bluez.Battery1"] = ["Percentage": value()] }
        return all
    }

    private func value() -> JSON {
        choices.one(of: [
            .integer(Int64(choices.number(below: 5))), .string("text \(choices.number(below: 9))"), true, false, 0.5,
            [1, 2],
            ["a": 1], .string(String(repeating: "long ", count: 2_000)),
        ])
    }

    private mutating func change() {
        let name = choices.one(of: Self.names)
        guard let objects = world.services[name]?.objects, !objects.isEmpty else { return }
        let path = choices.one(of: objects.keys.sorted())
        guard let interfaces = objects[path], !interfaces.isEmpty else { return }
        let interface = choices.one(of: interfaces.keys.sorted())
        let property = choices.one(of: (interfaces[interface] ?? [:]).keys.sorted() + ["Other"])
        let isFlag = property == "Paired" || property == "PowerSupply"
        world.set(name, path, interface, property, isFlag ? .bool(choices.happens(onceIn: 2)) : value())
    }

    // MARK: - The naive reader

    private static func paths(of rule: PropertyRule) -> [String] {
        switch rule.objects {
        case .path(let path): [path]
        case .alias(_, let parent): [parent + "/_31"]
        case .settings(let path): [path]
        case .listed: []
        }
    }

    /// What is published of message buses that are away, and needed.
    private var leftover: String? {
        let rules = configuration.rules.filter { needed.contains($0.name.demand) }
        let names = world.published.keys.filter { name in
            rules.contains { world.away.contains($0.bus) && $0.name.demand.spans(Aspect(stringLiteral: name)) }
        }
        return names.isEmpty ? nil : "\(names.sorted()) outlive \(world.away)"
    }

    private var difference: String? {
        var expected: [String: JSONObject] = [:]
        for rule in configuration.rules.reversed() where needed.contains(rule.name.demand) {
            for (name, service) in world.services where rule.service.matches(name) {
                for (path, object) in service.objects {
                    guard let value = Self.value(of: object, for: rule) else { continue }
                    let part = path.split(separator: "/").dropFirst(name == "org.bluez" ? 2 : 4).joined(separator: "-")
                    let text = rule.name.text.replacing(
                        "{service}", with: name.dropFirst("org.mpris.MediaPlayer2.".count))
                    if case .path(let only) = rule.objects, path != only { continue }
                    expected[text.replacing("{path}", with: part)] = value
                }
            }
        }
        let prefixes = needed.map { $0.isPattern ? String($0.name.dropLast()) : $0.name }
        let published = world.published.filter { name, _ in
            prefixes.contains { name.hasPrefix($0) && ($0.hasSuffix(".") || name == $0) }
        }
        if published != expected { return "published \(published), expected \(expected), needed \(needed)" }
        let rules = configuration.rules.filter { needed.contains($0.name.demand) }
        if world.opened != Set(rules.map(\.bus)) { return "connected to \(world.opened) for \(needed)" }
        let count = rules.map(matchCount).reduce(0, +)
        return world.matches.count == count
            ? nil : "\(world.matches.count) match rules instead of \(count) for \(needed)"
    }

    /// The number of match rules for a rule: one for the owners, and for each service one or, if it lists objects, two.
    private func matchCount(_ rule: PropertyRule) -> Int {
        let services = world.services.keys.count { rule.service.matches($0) }
        return if case .listed = rule.objects { 1 + 2 * services } else { 1 + services }
    }

    private static func value(of object: [String: [String: JSON]], for rule: PropertyRule) -> JSONObject? {
        guard object[rule.interface] != nil,
            rule.conditions.allSatisfy({ object[$0.key.interface]?[$0.key.name]?.boolValue == $0.value })
        else { return nil }
        var result = JSONObject()
        var cut: [JSON] = []
        for member in rule.members {
            let value = object[member.property.interface]?[member.property.name] ?? .null
            let isLong = value.bytes.count > 4_096
            if isLong { cut.append(.string(member.name)) }
            result[member.name] = isLong ? .null : converted(value, member)
        }
        if !cut.isEmpty { result["cut"] = .array(cut) }
        return result
    }

    private static func converted(_ value: JSON, _ member: PropertyRule.Member) -> JSON {
        let isRight: Bool =
            switch member.kind {
            case nil: true
            case .text?: value.stringValue != nil
            case .number?: value.numberValue != nil
            case .boolean?: value.boolValue != nil
            case .list?: value.arrayValue != nil
            case .object?: value.objectValue != nil
            }
        guard isRight else { return .null }
        return value.integerValue.flatMap { member.words[$0] }.map { .string($0) } ?? value
    }
}
