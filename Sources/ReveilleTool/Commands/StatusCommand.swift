// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Reveille
import Varlink

/// `reveille status`: what is watched, and who listens.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows what each aspect is read from, and all subscriptions.")

    @Flag(help: "One JSON object: the replies of DescribeAspects and ListSubscriptions together.")
    var json = false

    @OptionGroup var bus: BusOptions

    func run() {
        Failure.awaiting {
            let device = try await bus.device()
            let sources = try await device.sources()
            let subscribers = try await device.subscribers()
            if json {
                let aspects = JSON.array(sources.map(Self.json))
                let subscriptions = JSON.array(subscribers.map(Self.json))
                try Console.json(["aspects": aspects, "subscriptions": subscriptions])
                return
            }
            for source in sources { try Console.line(Self.line(of: source)) }
            try Console.line("")
            let count = subscribers.count
            try Console.line(count == 0 ? "no subscriptions" : "\(count) subscription\(count == 1 ? "" : "s")")
            for subscriber in subscribers { try Console.line(Self.line(of: subscriber)) }
        }
    }

    // MARK: - For people

    private static func line(of source: AspectSource) -> StyledText {
        let state =
            source.isAvailable
            ? (source.isMonitored ? Style.green("watched    ") : "at rest    ") : Style.dim("not here   ")
        return Style.bold("\(source.aspect)").padded(to: 12) + state + "\(source.text)"
    }

    private static func line(of subscriber: Subscriber) -> StyledText {
        let holds = subscriber.holds.names.joined(separator: " ")
        let held = holds.isEmpty ? Style.green("foreground") : Style.yellow("held: \(holds)")
        let aspects = subscriber.aspects.aspects
        let pending = aspects.compactMap { aspect in subscriber.pending[aspect].map { "\(aspect) \($0)" } }
        let waiting: StyledText = pending.isEmpty ? "" : "  waiting: \(pending.joined(separator: ", "))"
        return """
            \(subscriber.id)  \(held)  \(subscriber.name ?? "-")  pid \(subscriber.processID)  \
            [\(aspects.map(\.rawValue).joined(separator: " "))]  \
            \(subscriber.events) events of \(subscriber.changes) changes\(waiting)
            """
    }

    // MARK: - As the interface has it

    private static func json(of source: AspectSource) -> JSON {
        [
            "aspect": .string(source.aspect.rawValue), "available": .bool(source.isAvailable),
            "monitored": .bool(source.isMonitored), "source": source.isAvailable ? .string(source.text) : .null,
            "reason": source.isAvailable ? .null : .string(source.text),
        ]
    }

    private static func json(of subscriber: Subscriber) -> JSON {
        [
            "subscription": .string(subscriber.id), "name": subscriber.name.map { .string($0) } ?? .null,
            "pid": .integer(Int64(subscriber.processID)), "uid": .integer(Int64(subscriber.userID)),
            "aspects": .array(subscriber.aspects.aspects.map { .string($0.rawValue) }),
            "held": .array(subscriber.holds.names.map { .string($0) }),
            "pending": .array(
                subscriber.aspects.aspects.compactMap { aspect in
                    subscriber.pending[aspect].map {
                        ["aspect": .string(aspect.rawValue), "changes": .integer(Int64($0))]
                    }
                }),
            "events": .integer(Int64(subscriber.events)), "changes": .integer(Int64(subscriber.changes)),
        ]
    }
}
