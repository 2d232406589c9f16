// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Varlink

/// `reveille status`: what is watched, and who listens.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows what each aspect is read from, and all subscriptions.")

    @Flag(help: "One JSON object: the replies of DescribeAspects and ListSubscriptions together.")
    var json = false

    @OptionGroup var bus: BusOptions

    func run() {
        Failure.guarding {
            let client = try BusClient(bus.resolved())
            let aspects = try client.call("DescribeAspects")["aspects"] ?? []
            let subscriptions = try client.call("ListSubscriptions")["subscriptions"] ?? []
            if json {
                Console.line(JSON.object(["aspects": aspects, "subscriptions": subscriptions]).description)
                return
            }
            for aspect in aspects.arrayValue ?? [] { Console.line(line(ofAspect: aspect)) }
            Console.line("")
            let all = subscriptions.arrayValue ?? []
            Console.line(all.isEmpty ? "no subscriptions" : "\(all.count) subscription\(all.count == 1 ? "" : "s")")
            for subscription in all { Console.line(line(ofSubscription: subscription)) }
        }
    }

    private func line(ofAspect json: JSON) -> String {
        let aspect = json.objectValue
        let name = EventText.padded(aspect?["aspect"]?.stringValue ?? "?", to: 12)
        let source = aspect?["source"]?.stringValue ?? aspect?["reason"]?.stringValue ?? ""
        let isAvailable = aspect?["available"]?.boolValue == true
        let isMonitored = aspect?["monitored"]?.boolValue == true
        let state = isAvailable ? (isMonitored ? Style.green("watched    ") : "at rest    ") : Style.dim("not here   ")
        return Style.bold(name) + state + source
    }

    private func line(ofSubscription json: JSON) -> String {
        let subscription = json.objectValue
        let words = { (name: String) in
            (subscription?[name]?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: " ")
        }
        let number = { (name: String) in subscription?[name]?.integerValue ?? 0 }
        let pending = (subscription?["pending"]?.arrayValue ?? []).compactMap { entry in
            entry.objectValue.map { "\($0["aspect"]?.stringValue ?? "?") \($0["changes"]?.integerValue ?? 0)" }
        }
        let held = words("held").isEmpty ? Style.green("foreground") : Style.yellow("held: \(words("held"))")
        let waiting = pending.isEmpty ? "" : "  waiting: " + pending.joined(separator: ", ")
        return "\(subscription?["subscription"]?.stringValue ?? "?")  \(held)"
            + "  \(subscription?["name"]?.stringValue ?? "-")  pid \(number("pid"))  [\(words("aspects"))]"
            + "  \(number("events")) events of \(number("changes")) changes" + waiting
    }
}
