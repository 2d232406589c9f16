// SPDX-License-Identifier: Apache-2.0

import Varlink

extension Follower {
    private static let driver = PropertyRule.Method(
        path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged")
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let settings = "org.freedesktop.portal.Settings"
    private static let settingChanged = "interface='\(settings)',member='SettingChanged'"

    /// Asks for the services of a rule, and for their changes.
    mutating func begin(_ index: Int) {
        let (driver, service) = (Self.driver, rules[index].service)
        let condition = """
            sender='\(driver.interface)',path='\(driver.path)',interface='\(driver.interface)',\
            member='\(driver.member)',\(service.condition)
            """
        let key = ServiceKey(rule: index, name: service.text)
        let owners = match(.owners, of: key, condition)
        watches[index]?.owners = owners
        askDriver(service.isPattern ? .names : .owner, of: key)
    }

    mutating func askDriver(_ question: Question, of key: ServiceKey) {
        var method = Self.driver
        method.member = question == .names ? "ListNames" : "GetNameOwner"
        let argument = question == .names ? nil : JSON.string(key.name)
        ask(question, of: key, call(key.rule, method, to: method.interface, argument))
    }

    private func call(_ index: Int, _ method: PropertyRule.Method, to owner: String, _ argument: JSON? = nil) -> Call {
        Call(
            bus: rules[index].bus, destination: owner, path: method.path, interface: method.interface,
            member: method.member, argument: argument)
    }

    mutating func takeNames(_ names: [String], of index: Int) {
        let services = Set(names.filter(rules[index].service.matches))
        publications.withdraw(&effects) { $0.rule == index && !services.contains($0.service) }
        for name in services.sorted() { askDriver(.owner, of: ServiceKey(rule: index, name: name)) }
    }

    /// Follows another owner of a name; `nil` for none.
    mutating func setOwner(_ owner: String?, of key: ServiceKey, at now: Instant) {
        let current = watches[key.rule]?.services[key.name]?.owner
        if let owner, owner == current { return }
        drop(key)
        // When a need begins, the values are kept until the objects are known.
        if owner == nil || current != nil {
            publications.withdraw(&effects) { $0.rule == key.rule && $0.service == key.name }
        }
        guard let owner else { return }
        let rule = rules[key.rule]
        guard watches[key.rule]?.services.count ?? 0 < Self.serviceLimit else {
            return effects.append(.warn("\(rule.key): only \(Self.serviceLimit) services are published"))
        }
        let matches = listeners(rule).map { match($0, of: key, "sender='\(owner)'," + $1) }
        watches[key.rule]?.services[key.name] = Service(owner: owner, matches: matches)
        // Nothing waits for the reply. The service's subscription lasts until the connection ends.
        if let subscription = rule.subscription { effects.append(.call(0, call(key.rule, subscription, to: owner))) }
        discover(key, at: now)
    }

    /// Forgets a service with its calls and match rules, but not its published values.
    mutating func drop(_ key: ServiceKey) {
        guard let service = watches[key.rule]?.services.removeValue(forKey: key.name) else { return }
        for match in service.matches { unmatch(match) }
        calls = calls.filter { $0.value.key != key }
    }

    private func listeners(_ rule: PropertyRule) -> [(Listener, String)] {
        func properties(_ condition: String) -> (Listener, String) {
            (.properties, "interface='\(Self.properties)',member='PropertiesChanged',\(condition)")
        }
        return switch rule.objects {
        case .path(let path): [properties("path='\(path)'")]
        case .alias(_, let parent): [properties("path_namespace='\(parent)'")]
        case .listed(let method, let below):
            [
                properties("path_namespace='\(below)'"),
                (.objects, "interface='\(method.interface)',path='\(method.path)'"),
            ]
        case .settings(let path):
            [(.settings, Self.settingChanged + ",path='\(path)',arg0='\(rule.interface)'")]
        }
    }

    /// Reads the objects of a service, or their list.
    private mutating func discover(_ key: ServiceKey, at now: Instant) {
        let path = rules[key.rule].path
        update(key) { service in
            if let path { service.objects[path] = Object() }
            service.unread = [path ?? ""]
        }
        readWaiting(key)
        schedule(key, at: now)
    }

    /// Reads an object, with all interfaces of the rule, or the list of objects.
    mutating func read(_ path: String, of key: ServiceKey) {
        guard let owner = watches[key.rule]?.services[key.name]?.owner else { return }
        let rule = rules[key.rule]
        var calls: [(interface: String, call: Call)] = []
        switch rule.objects {
        case .listed(let method, _) where path.isEmpty: calls = [("", call(key.rule, method, to: owner))]
        case .settings:
            let method = PropertyRule.Method(path: path, interface: Self.settings, member: "ReadAll")
            calls = [(rule.interface, call(key.rule, method, to: owner, [.string(rule.interface)]))]
        default:
            let method = PropertyRule.Method(path: path, interface: Self.properties, member: "GetAll")
            calls = rule.interfaces.map { ($0, call(key.rule, method, to: owner, .string($0))) }
        }
        update(key) { service in
            service.reading[path] = calls.count
            service.tries[path, default: 0] += 1
        }
        for (interface, call) in calls { ask(.object(path: path, interface: interface), of: key, call) }
    }
}
