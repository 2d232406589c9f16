// SPDX-License-Identifier: Apache-2.0

import ReveilleDBusCore
import ReveilleSimulation
import Varlink

/// Message buses with services whose objects change at random, and a bus that takes what a follower publishes.
struct World {
    struct Service {
        var owner: String
        var objects: [String: [String: [String: JSON]]] = [:]
    }

    var follower: Follower
    var now: Follower.Instant = 0
    let choices: Choices
    /// The services by their well-known names.
    var services: [String: Service] = [:]
    private var lastOwner = 0
    private(set) var opened: Set<Rule.Bus> = []
    private(set) var matches: [Int: (bus: Rule.Bus, conditions: [String: String])] = [:]
    private var requests: [(number: Int, call: Follower.Call)] = []
    /// Messages on their way to the follower.
    private var inbox: [(bus: Rule.Bus, input: Follower.Input)] = []
    private var unanswered: [String] = []
    private(set) var published: [String: JSONObject] = [:]
    var problem: String?

    init(_ configuration: DBusConfiguration, _ choices: Choices) {
        follower = Follower(configuration)
        self.choices = choices
    }

    // MARK: - The follower

    mutating func feed(_ input: Follower.Input) {
        for effect in follower.handle(input, at: now) { perform(effect) }
    }

    private mutating func perform(_ effect: Follower.Effect) {
        switch effect {
        case .open(let bus):
            opened.insert(bus)
            feed(.opened(bus))
        case .close(let bus): lose(bus)
        case .match(let number, let bus, let rule):
            if !opened.contains(bus) { problem = "a match rule on a closed bus" }
            matches[number] = (bus, Self.conditions(rule))
        case .unmatch(let number): matches[number] = nil
        case .call(let number, let call):
            if !opened.contains(call.bus) { problem = "a call on a closed bus" }
            if call.destination == "org.freedesktop.DBus" {
                inbox.append((call.bus, .reply(number, driverReply(to: call), isTimeout: false)))
            } else if number > 0 {
                requests.append((number, call))
            }
        case .publish(let name, let value):
            if unanswered.contains(name) { problem = "\(name) is published before the last answer" }
            unanswered.append(name)
            if published[name] == value { problem = "\(name) is published without a change" }
            published[name] = value
        case .warn: break
        }
    }

    private mutating func lose(_ bus: Rule.Bus) {
        opened.remove(bus)
        matches = matches.filter { $0.value.bus != bus }
        requests.removeAll { $0.call.bus == bus }
        inbox.removeAll { $0.bus == bus }
    }

    mutating func restart(_ bus: Rule.Bus) {
        guard opened.contains(bus) else { return }
        lose(bus)
        feed(.closed(bus))
        opened.insert(bus)
        feed(.opened(bus))
    }

    mutating func restartReveille() {
        published = [:]
        unanswered = []
        feed(.busLost)
    }

    // MARK: - Message buses

    private static func conditions(_ rule: String) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: rule.split(separator: "',").map { part in
                let sides = part.split(separator: "=", maxSplits: 1)
                return (String(sides[0]), sides[1].filter { $0 != "'" })
            })
    }

    private func driverReply(to call: Follower.Call) -> [JSON]? {
        if call.member == "ListNames" { return [.array(services.keys.sorted().map { .string($0) })] }
        return (call.argument?.stringValue).flatMap { services[$0] }.map { [.string($0.owner)] }
    }

    private mutating func send(
        from sender: String, _ path: String, _ interface: String, _ member: String, _ values: [JSON]
    ) {
        let argument = values.first?.stringValue ?? ""
        for (number, match) in matches {
            let fits = match.conditions.allSatisfy { key, value in
                switch key {
                case "type": value == "signal"
                case "sender": value == sender
                case "interface": value == interface
                case "member": value == member
                case "path": value == path
                case "path_namespace": value == "/" || path == value || path.hasPrefix(value + "/")
                case "arg0": argument == value
                case "arg0namespace": argument == value || argument.hasPrefix(value + ".")
                default: false
                }
            }
            guard fits else { continue }
            inbox.append((match.bus, .signal(number, path: path, values)))
        }
    }

    // MARK: - Services

    mutating func appear(_ name: String, _ objects: [String: [String: [String: JSON]]]) {
        lastOwner += 1
        let old = services[name]?.owner ?? ""
        let owner = ":1.\(lastOwner)"
        services[name] = Service(owner: owner, objects: objects)
        send(
            from: "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
            [.string(name), .string(old), .string(owner)])
    }

    mutating func leave(_ name: String) {
        guard let service = services.removeValue(forKey: name) else { return }
        for request in requests where request.call.destination == service.owner {
            inbox.append((request.call.bus, .reply(request.number, nil, isTimeout: false)))
        }
        requests.removeAll { $0.call.destination == service.owner }
        send(
            from: "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
            [.string(name), .string(service.owner), .string("")])
    }

    mutating func set(_ name: String, _ path: String, _ interface: String, _ property: String, _ value: JSON) {
        guard let service = services[name], service.objects[path]?[interface] != nil else { return }
        services[name]?.objects[path]?[interface]?[property] = value
        if interface == "org.freedesktop.appearance" {
            return send(
                from: service.owner, path, "org.freedesktop.portal.Settings", "SettingChanged",
                [.string(interface), .string(property), value])
        }
        let isInvalidated = choices.happens(onceIn: 3)
        let changed: JSON = isInvalidated ? [:] : .object(JSONObject(members: [.init(name: property, value: value)]))
        send(
            from: service.owner, path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.string(interface), changed, isInvalidated ? [.string(property)] : []])
    }

    /// Adds an object, or removes it with `nil`.
    mutating func setObject(_ path: String, _ interfaces: [String: [String: JSON]]?, of name: String) {
        guard let service = services[name], (service.objects[path] == nil) != (interfaces == nil) else { return }
        services[name]?.objects[path] = interfaces
        let isPower = name == "org.freedesktop.UPower"
        send(
            from: service.owner, isPower ? "/org/freedesktop/UPower" : "/",
            isPower ? name : "org.freedesktop.DBus.ObjectManager",
            isPower ? "DeviceAdded" : "InterfacesAdded", [.string(path)])
    }

    private static func object(_ values: [String: JSON]) -> JSONObject {
        JSONObject(members: values.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) })
    }

    private func answer(_ call: Follower.Call) -> [JSON]? {
        guard let service = services.values.first(where: { $0.owner == call.destination }) else { return nil }
        let path = call.path.hasSuffix("/session/auto") ? call.path.replacing("auto", with: "_31") : call.path
        switch call.member {
        case "GetAll":
            return service.objects[path]?[call.argument?.stringValue ?? ""].map { [.object(Self.object($0))] }
        case "ReadAll":
            let name = call.argument?.arrayValue?.first?.stringValue ?? ""
            return [.object(Self.object([name: .object(Self.object(service.objects[path]?[name] ?? [:]))]))]
        case "EnumerateDevices": return [.array(service.objects.keys.sorted().map { .string($0) })]
        case "GetManagedObjects":
            let objects = service.objects.mapValues {
                JSON.object(Self.object($0.mapValues { .object(Self.object($0)) }))
            }
            return [.object(Self.object(objects))]
        default: return nil
        }
    }

    // MARK: - Time

    /// A service answers a call, or does not.
    mutating func answerOne(mayBeSilent: Bool) {
        guard !requests.isEmpty else { return }
        // Each service answers in order.
        let first = requests[choices.number(below: requests.count)].call.destination
        guard let index = requests.firstIndex(where: { $0.call.destination == first }) else { return }
        let request = requests.remove(at: index)
        let isSilent = mayBeSilent && choices.happens(onceIn: 20)
        inbox.append(
            (request.call.bus, .reply(request.number, isSilent ? nil : answer(request.call), isTimeout: isSilent)))
    }

    mutating func deliverOne() {
        if !inbox.isEmpty { feed(inbox.removeFirst().input) }
    }

    mutating func acceptOne() {
        if !unanswered.isEmpty { feed(.published(unanswered.removeFirst())) }
    }

    mutating func pass(_ time: Follower.Instant) {
        now += time
        if let deadline = follower.deadline, deadline <= now { feed(.expired) }
    }

    /// Waits until nothing is left to be done.
    mutating func settle() {
        while problem == nil {
            if !requests.isEmpty {
                answerOne(mayBeSilent: false)
            } else if !inbox.isEmpty {
                deliverOne()
            } else if !unanswered.isEmpty {
                acceptOne()
            } else if let deadline = follower.deadline {
                pass(max(0, deadline - now))
            } else {
                return
            }
        }
    }
}
