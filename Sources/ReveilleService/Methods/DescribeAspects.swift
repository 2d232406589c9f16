// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWatchers
import ReveilleWire
import Varlink

extension DescribeAspects: ServedMethod {
    func carryOut(by server: BusServer, on connection: Connection) {
        let aspects = BuiltInAspect.allCases.map { Aspect($0) } + server.bus.names
        server.reply(each: aspects, on: connection) { $0.source(of: $1) }
    }
}

extension BusServer {
    func source(of aspect: Aspect) -> AspectInfo {
        aspect.builtIn.map(describe) ?? describe(aspect)
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
