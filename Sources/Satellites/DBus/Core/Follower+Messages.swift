// SPDX-License-Identifier: Apache-2.0

import Varlink

extension Follower {
    mutating func take(_ values: [JSON]?, isTimeout: Bool, to question: Question, of key: ServiceKey, at now: Instant) {
        switch question {
        case .names where isTimeout, .owner where isTimeout:
            effects.append(.warn("the \(rules[key.rule].bus) bus of D-Bus does not answer; asking again"))
            // Values of services that are not followed are from before the need.
            publications.withdraw(&effects) { [services = watches[key.rule]?.services] in
                $0.rule == key.rule && services?[$0.service] == nil
            }
            askDriver(question, of: key)
        case .names: takeNames((values?.first?.arrayValue ?? []).compactMap(\.stringValue), of: key.rule)
        case .owner: setOwner(values?.first?.stringValue, of: key, at: now)
        case .object(let path, let interface):
            let rule = rules[key.rule]
            if isTimeout { effects.append(.warn("\(rule.key): \(key.name) does not answer; asking again")) }
            var isRead = values?.isEmpty == false
            if path.isEmpty {
                takeObjects(values?.first, of: key)
            } else {
                isRead = takeProperties(values?.first?.objectValue, of: interface, path, key)
            }
            // A service may take its name before its objects answer. Of their interfaces, only one is required.
            let isRequired = path.isEmpty || interface == rule.interface
            if isRead, isRequired { update(key) { $0.tries[path] = nil } }
            if !isRead, isRequired || isTimeout { retry(path, isTimeout: isTimeout, of: key, at: now) }
            readWaiting(key, onlyNew: true)
            schedule(key, at: now)
        }
    }

    /// Takes the list of objects: paths, or also all properties.
    private mutating func takeObjects(_ list: JSON?, of key: ServiceKey) {
        let rule = rules[key.rule]
        guard case .listed(_, let below) = rule.objects else { return }
        var objects: [String: Object] = [:]
        update(key) { service in
            service.reading[""] = nil
            for path in (list?.arrayValue ?? []).compactMap(\.stringValue) {
                objects[path] = service.objects[path] ?? Object()
            }
            for member in list?.objectValue?.members ?? [] {
                var object = Object(isKnown: true)
                for interface in rule.interfaces {
                    let properties = member.value.objectValue?[interface]?.objectValue
                    object.take(properties, of: interface, for: rule)
                }
                if !object.interfaces.isEmpty { objects[member.name] = object }
            }
            let paths = objects.keys.filter { ObjectPath.part(of: $0, below: below) != nil }.sorted()
            objects = objects.filter { [kept = Set(paths.prefix(Self.objectLimit))] in kept.contains($0.key) }
            for (path, object) in objects where !object.isKnown || object != service.objects[path] {
                if object.isKnown { service.fresh.insert(path) } else { service.unread.insert(path) }
            }
            service.unread = service.unread.filter { $0.isEmpty || objects[$0] != nil }
            service.tries = service.tries.filter { $0.key.isEmpty || objects[$0.key] != nil }
            service.objects = objects
        }
        if objects.count == Self.objectLimit {
            effects.append(.warn("\(rule.key): no more than \(objects.count) objects of \(key.name) are published"))
        }
        publications.withdraw(&effects) {
            $0.rule == key.rule && $0.service == key.name && objects[$0.path] == nil
        }
    }

    /// Returns whether the object has the interface.
    private mutating func takeProperties(
        _ reply: JSONObject?, of interface: String, _ path: String, _ key: ServiceKey
    ) -> Bool {
        let rule = rules[key.rule]
        var properties = reply
        if case .settings = rule.objects { properties = reply?[interface]?.objectValue }
        update(key) { service in
            service.objects[path]?.take(properties, of: interface, for: rule)
            service.reading[path, default: 1] -= 1
            guard service.reading[path] == 0 else { return }
            service.reading[path] = nil
            service.objects[path]?.isKnown = true
            service.fresh.insert(path)
        }
        return properties != nil
    }

    mutating func take(
        _ values: [JSON]?, from path: String, by listener: Listener, of key: ServiceKey, at now: Instant
    ) {
        guard let values else {
            let rule = rules[key.rule]
            effects.append(.warn("\(rule.key): a signal of \(key.name) is too large or damaged; reading its object"))
            return invalidate(listener == .objects ? "" : rule.path ?? path, of: key, at: now)
        }
        let texts = values.map(\.stringValue)
        switch listener {
        case .owners:
            guard values.count == 3, let name = texts[0], rules[key.rule].service.matches(name), let owner = texts[2]
            else { return }
            setOwner(owner.isEmpty ? nil : owner, of: ServiceKey(rule: key.rule, name: name), at: now)
        case .properties:
            guard values.count == 3, let interface = texts[0], let changed = values[1].objectValue else { return }
            let invalidated = Set((values[2].arrayValue ?? []).compactMap(\.stringValue))
            change(changed, invalidated, of: interface, path, key, at: now)
        case .settings:
            guard values.count == 3, let namespace = texts[0], let name = texts[1] else { return }
            change([name: values[2]], [], of: namespace, path, key, at: now)
        case .objects: invalidate("", of: key, at: now)
        }
    }

    private mutating func change(
        _ changed: JSONObject, _ invalidated: Set<String>, of interface: String, _ path: String, _ key: ServiceKey,
        at now: Instant
    ) {
        let rule = rules[key.rule]
        let names = Set(rule.properties.lazy.filter { $0.interface == interface }.map(\.name))
        if case .alias(let alias, _) = rule.objects {
            let all = invalidated.union(changed.members.map(\.name))
            return names.isDisjoint(with: all) ? () : invalidate(alias, of: key, at: now)
        }
        if !names.isDisjoint(with: invalidated) { invalidate(path, of: key, at: now) }
        guard rule.interfaces.contains(interface) else { return }
        let object = watches[key.rule]?.services[key.name]?.objects[path]
        guard object?.interfaces.contains(interface) == true else {
            // The object or this interface of it was not read, and perhaps neither was the list of objects.
            let isListMissing = object == nil && watches[key.rule]?.services[key.name]?.tries[""] != nil
            return invalidate(isListMissing ? "" : path, of: key, at: now)
        }
        update(key) { service in
            let isRelevant =
                service.objects[path]?.take(changed, of: interface, for: rule, isWhole: false) == true
            // An object that is about to be read is published then.
            guard isRelevant, service.reading[path] == nil, !service.unread.contains(path) else { return }
            service.changed.insert(path)
        }
        schedule(key, at: now)
    }
}
