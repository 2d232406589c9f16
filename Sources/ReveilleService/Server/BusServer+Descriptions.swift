// SPDX-License-Identifier: Apache-2.0

import Logging
package import ReveilleCore
import ReveilleSystem
import ReveilleWatchers
import ReveilleWire
import Varlink

extension BusServer {
    var subscriberList: ListReply {
        ListReply(of: SubscriptionInfo.self, each: 0..<connections.subscribers.slotCount) { [unowned self] in
            subscriber(in: $0)?.structure.bytes
        }
    }

    /// Describes the subscription in a slot as it is now: whether it has read, and whether its process is frozen.
    func subscriber(in slot: Int) -> SubscriptionInfo? {
        guard let connection = connections.subscribers[slot] else { return nil }
        // Otherwise, this is checked only when there is another reply to send.
        releaseIfRead(connection)
        if let process = connection.process { processes.freezes.look(at: process, at: loop.bootClock) }
        return subscriber(connection, in: slot)
    }

    /// The subscriptions with their processes, as far as known without examining the processes.
    package var knownSubscribers: [SubscriptionInfo] {
        (0..<connections.subscribers.slotCount).compactMap { slot in
            connections.subscribers[slot].flatMap { subscriber($0, in: slot) }
        }
    }

    /// The number of event sources of the schedule, whose entries outlast the connections of their owners.
    package var scheduleSourceCount: Int { alarms.count }

    /// The cgroups that are recorded as frozen, or as about to be.
    package var recordedCgroups: [String] { processes.record.cgroups }

    private func subscriber(_ connection: Connection, in slot: Int) -> SubscriptionInfo? {
        bus.subscriber(
            in: slot, processID: connection.peer.pid, userID: connection.peer.uid,
            tasks: tasks(of: connection))
    }

    var sourceList: ListReply {
        let aspects = BuiltInAspect.allCases.map { Aspect($0) } + bus.names
        return ListReply(of: AspectInfo.self, each: aspects) { [unowned self] in source(of: $0).structure.bytes }
    }

    func source(of aspect: Aspect) -> AspectInfo {
        aspect.builtIn.map(describe) ?? describe(aspect)
    }

    /// Counts a loss of events, after which everything is read again; `status` shows the count.
    package func noteLoss(of aspect: BuiltInAspect) {
        let number = watchers.noteLoss(of: aspect)
        logger.warning("\(aspect): events were lost; reading everything again (loss \(number))")
    }

    private func describe(_ aspect: BuiltInAspect) -> AspectInfo {
        if aspect.isOfSubscription {
            return AspectInfo(
                aspect: Aspect(aspect), isAvailable: true, isWatched: false,
                source: "each subscription's own state; its only background policy is 'end'")
        }
        var isAvailable = false
        var text: String
        switch watchers.source(of: aspect) {
        case .available(let source): (isAvailable, text) = (true, source)
        case .unavailable(let reason): text = reason
        }
        if bus.isPosted(aspect) { text = isAvailable ? text + " (posted)" : "posted; " + text }
        let losses = watchers.losses[aspect]
        if isAvailable, losses > 0 { text += " (events lost and all read again: \(losses))" }
        return AspectInfo(
            aspect: Aspect(aspect), isAvailable: isAvailable, isWatched: watchers.isMonitored(aspect), source: text)
    }

    private func describe(_ name: Aspect) -> AspectInfo {
        let publisher = bus.publisher(of: name)
        let text = publisher.map { publisher in
            let age = bus.state(of: name, at: now).changedAt.age(at: now)
            // Names of users are not looked up: their database may be on the network.
            return "published by uid \(publisher.user), \(age)"
                + (publisher.connection == nil ? "" : ", until it disconnects")
        }
        return AspectInfo(
            aspect: name, isAvailable: publisher != nil, isWatched: bus.hasSubscribers(name),
            source: text ?? "not published")
    }
}

extension Timestamp {
    /// Returns the time since then in words: `2 min ago`.
    fileprivate func age(at now: Timestamp) -> String {
        // The clock may have been set back.
        let seconds = max(0, now.microseconds.subtractingReportingOverflow(microseconds).partialValue / 1_000_000)
        return Age.phrase(seconds)
    }
}

extension BusServer {
    func check(_ names: [String], for connection: Connection) -> ListReply {
        // The search for a source can take as long as a list of all devices.
        var answers: [String: CapabilityAnswer] = [:]
        return ListReply(of: CapabilityCheck.self, each: names) { [unowned self, unowned connection] name in
            let answer = answers[name] ?? answer(name, for: connection)
            answers[name] = answer
            return CapabilityCheck(name, answer).structure.bytes
        }
    }

    private func answer(_ name: String, for connection: Connection) -> CapabilityAnswer {
        if let aspect = Aspect(name) {
            // A pattern is not an aspect.
            guard !aspect.isPattern else { return .unknown }
            let source = source(of: aspect)
            return source.isAvailable ? .yes : .no(source.source)
        }
        switch Capability.Word(rawValue: name) {
        case .multitasking: return .yes
        case .suspend: return maySuspend(connection)
        case .launch: return mayLaunch(connection.peer.uid)
        case .publish:
            return permissions.mayPublish(connection.peer.uid, allowing: configuration.publish.allow)
        case .wake: return mayWake(connection.peer.uid)
        case nil: return .unknown
        }
    }
}
