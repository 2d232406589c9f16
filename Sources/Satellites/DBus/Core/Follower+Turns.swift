// SPDX-License-Identifier: Apache-2.0

extension Follower {
    mutating func update(_ key: ServiceKey, _ body: (inout Service) -> Void) {
        // A second reference would copy the service.
        guard var service = watches[key.rule]?.services.removeValue(forKey: key.name) else { return }
        body(&service)
        watches[key.rule]?.services[key.name] = service
    }

    /// Reads an object, or the list of objects, at the end of the turn, and publishes it only then.
    mutating func invalidate(_ path: String, of key: ServiceKey, at now: Instant) {
        update(key) { service in
            guard path.isEmpty || service.objects[path] != nil else { return }
            service.unread.insert(path)
            service.changed.remove(path)
        }
        schedule(key, at: now)
    }

    /// Ends the turn of a service soon, unless nothing has changed.
    mutating func schedule(_ key: ServiceKey, at now: Instant) {
        update(key) { service in
            let isAtRest = service.changed.isEmpty && service.fresh.isEmpty && service.unread.isEmpty
            if !isAtRest, service.due == nil { service.due = max(now, service.quietUntil) }
        }
    }

    /// Reads the waiting objects; before the end of the turn, only those that were never read.
    mutating func readWaiting(_ key: ServiceKey, onlyNew: Bool = false) {
        guard let service = watches[key.rule]?.services[key.name] else { return }
        let waiting = service.unread.filter { path in
            service.reading[path] == nil && !(onlyNew && service.objects[path]?.isKnown != false)
        }.sorted()
        for path in waiting.prefix(max(0, Self.readLimit - service.reading.count)) {
            update(key) { _ = $0.unread.remove(path) }
            read(path, of: key)
        }
    }

    mutating func expire(at now: Instant) {
        publications.retry(at: now, &effects)
        for (index, watch) in watches {
            for (name, service) in watch.services {
                let key = ServiceKey(rule: index, name: name)
                if let retry = service.retry, retry <= now { readAgain(key, at: now) }
                if let due = service.due, due <= now { endTurn(key, at: now) }
            }
        }
    }

    /// Reads an object, or the list of objects, again after a pause.
    mutating func retry(_ path: String, isTimeout: Bool, of key: ServiceKey, at now: Instant) {
        update(key) { service in
            let tries = service.tries[path] ?? 1
            service.tries[path] = tries
            guard isTimeout || tries <= Self.tryLimit else { return }
            service.retry = min(service.retry ?? .max, now + Self.pause(after: tries))
        }
    }

    private mutating func readAgain(_ key: ServiceKey, at now: Instant) {
        update(key) { service in
            service.unread.formUnion(service.tries.keys)
            service.retry = nil
        }
        schedule(key, at: now)
    }

    /// Publishes the objects of a service that have changed, and reads the invalidated ones.
    private mutating func endTurn(_ key: ServiceKey, at now: Instant) {
        var paths: [String] = []
        update(key) { service in
            paths = service.changed.union(service.fresh).sorted()
            service.changed = []
            service.fresh = []
            service.due = nil
            service.quietUntil = now + Self.pace * Instant(max(1, paths.count))
        }
        for path in paths { publish(path, of: key) }
        readWaiting(key)
    }

    private mutating func publish(_ path: String, of key: ServiceKey) {
        let rule = rules[key.rule]
        guard let name = rule.name(of: path, in: key.name) else { return }
        let value = (watches[key.rule]?.services[key.name]?.objects[path]).flatMap { rule.value(of: $0) }
        publications.set(name, value, of: Publications.Place(rule: key.rule, service: key.name, path: path), &effects)
    }
}
