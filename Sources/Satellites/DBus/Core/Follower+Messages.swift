// SPDX-License-Identifier: Apache-2.0

import Varlink

extension Follower {
    // MARK: - Replies

    mutating func take(_ values: [JSON]?, isTimeout: Bool, to question: Question, of rule: Int, at now: Instant) {
        switch question {
        case .names where isTimeout, .owner where isTimeout: askDriver(question, of: rule)
        case .names: takeNames((values?.first?.arrayValue ?? []).compactMap(\.stringValue), of: rule)
        case .owner(let name): setOwner(values?.first?.stringValue, of: ServiceKey(rule: rule, name: name), at: now)
        case .object(let name, let path, let interface):
            let key = ServiceKey(rule: rule, name: name)
            if isTimeout { noteSilence(path, of: key, at: now) }
            if path.isEmpty {
                takeObjects(values?.first, of: key)
            } else {
                takeProperties(values?.first?.objectValue, of: interface, path, key)
            }
            readNew(key)
            schedule(key, at: now)
        }
    }

    private mutating func noteSilence(_ path: String, of key: ServiceKey, at now: Instant) {
        effects.append(.warn("\(rules[key.rule].key): \(key.name) does not answer; asking again in a minute"))
        update(key) { service in
            service.failed.insert(path)
            service.retry = service.retry ?? now + Self.retryPause
        }
    }

    /// Takes the list of objects: paths, or also all properties.
    private mutating func takeObjects(_ list: JSON?, of key: ServiceKey) {
        let (rule, size) = (rules[key.rule], valueSize)
        guard case .listed(_, let below) = rule.objects else { return }
        var objects: [String: Object] = [:]
        update(key) { service in
            service.reading[""] = nil
            let listed = (list?.arrayValue ?? []).compactMap(\.stringValue)
            for path in listed { objects[path] = service.objects[path] ?? Object() }
            for member in list?.objectValue?.members ?? [] {
                var object = Object(isKnown: true)
                for interface in rule.interfaces {
                    let properties = member.value.objectValue?[interface]?.objectValue
                    object.take(properties, of: interface, for: rule, atMost: size)
                }
                if !object.interfaces.isEmpty { objects[member.name] = object }
            }
            let paths = objects.keys.filter { ObjectPath.part(of: $0, below: below) != nil }.sorted()
            objects = objects.filter { [kept = Set(paths.prefix(Self.keptLimit))] in kept.contains($0.key) }
            for (path, object) in objects {
                if !object.isKnown {
                    service.unread.insert(path)
                } else if object != service.objects[path] {
                    service.fresh.insert(path)
                }
            }
            let isUnlisted = { (path: String) in !path.isEmpty && objects[path] == nil }
            service.unread = service.unread.filter { !isUnlisted($0) }
            service.objects = objects
        }
        publications.withdraw(&effects) {
            $0.rule == key.rule && $0.service == key.name && objects[$0.path] == nil
        }
    }

    private mutating func takeProperties(
        _ reply: JSONObject?, of interface: String, _ path: String, _ key: ServiceKey
    ) {
        let (rule, size) = (rules[key.rule], valueSize)
        var properties = reply
        if case .settings = rule.objects { properties = reply?[interface]?.objectValue }
        update(key) { service in
            service.objects[path]?.take(properties, of: interface, for: rule, atMost: size)
            service.reading[path, default: 1] -= 1
            guard service.reading[path] == 0 else { return }
            service.reading[path] = nil
            service.objects[path]?.isKnown = true
            service.fresh.insert(path)
        }
    }

    // MARK: - Signals

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
        let (rule, size) = (rules[key.rule], valueSize)
        let names = Set(rule.properties.lazy.filter { $0.interface == interface }.map(\.name))
        if case .alias(let alias, _) = rule.objects {
            let all = invalidated.union(changed.members.map(\.name))
            return names.isDisjoint(with: all) ? () : invalidate(alias, of: key, at: now)
        }
        if !names.isDisjoint(with: invalidated) { invalidate(path, of: key, at: now) }
        guard rule.interfaces.contains(interface) else { return }
        update(key) { service in
            let isRelevant =
                service.objects[path]?.take(changed, of: interface, for: rule, atMost: size, isWhole: false) == true
            // An object that is about to be read is published then.
            guard isRelevant, service.reading[path] == nil, !service.unread.contains(path) else { return }
            service.changed.insert(path)
        }
        schedule(key, at: now)
    }
}
