// SPDX-License-Identifier: Apache-2.0

import Varlink

extension Follower {
    mutating func take(_ values: [JSON]?, isTimeout: Bool, to question: Question, of key: ServiceKey, at now: Instant) {
        switch question {
        case .names where isTimeout, .owner where isTimeout: askDriver(question, of: key)
        case .names: takeNames((values?.first?.arrayValue ?? []).compactMap(\.stringValue), of: key.rule)
        case .owner: setOwner(values?.first?.stringValue, of: key, at: now)
        case .object(let path, let interface):
            if isTimeout {
                let rule = rules[key.rule].key
                effects.append(.warn("\(rule): \(key.name) does not answer; asking again in a minute"))
                update(key) { $0.retry = $0.retry ?? now + Self.retryPause }
            }
            if path.isEmpty {
                takeObjects(values?.first, of: key)
            } else {
                takeProperties(values?.first?.objectValue, of: interface, path, key)
            }
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
            service.objects = objects
        }
        if objects.count == Self.objectLimit {
            effects.append(.warn("\(rule.key): no more than \(objects.count) objects of \(key.name) are published"))
        }
        publications.withdraw(&effects) {
            $0.rule == key.rule && $0.service == key.name && objects[$0.path] == nil
        }
    }

    private mutating func takeProperties(
        _ reply: JSONObject?, of interface: String, _ path: String, _ key: ServiceKey
    ) {
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
    }

    mutating func take(
        _ values: [JSON], from path: String, by listener: Listener, of key: ServiceKey, at now: Instant
    ) {
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
