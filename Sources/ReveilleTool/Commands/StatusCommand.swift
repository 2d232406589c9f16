// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole
import ReveilleSystem
import ReveilleWire
import Varlink

struct StatusCommand: GuardedCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the bus, the source of each aspect, the published names, and all subscriptions.",
        discussion: """
            Lines are truncated to the width of the terminal, but not when written to a pipe. The uptime and the \
            configuration file are shown if the process that serves the bus is visible. The names of rules and of the \
            schedule's entries are counted; 'reveille rules --list' and 'reveille schedule list' list them.
            """)

    @Flag(help: "List all published names, also those of rules and of the schedule's entries.")
    var all = false

    @Flag(help: "Print one JSON object: the bus, and the replies of DescribeAspects and ListSubscriptions.")
    var json = false

    @OptionGroup var bus: BusOptions

    func perform() throws {
        let address = try bus.resolved()
        let client = try BlockingClient(address)
        let served = try ServedBus(address, over: client)
        let sources = try client.call(DescribeAspects())
        let subscribers = try client.call(ListSubscriptions()).subscriptions
        if json {
            return try Console.json([
                "bus": Self.json(of: served),
                "aspects": .array(sources.map(\.structure)),
                "subscriptions": .array(subscribers.map(\.structure)),
            ])
        }
        for (name, value) in served.facts {
            try Console.line(Style.bold(StyledText(name)).padded(to: 15) + StyledText(value))
        }
        try Console.line("")
        try StatusTables.sources(sources.filter { !$0.aspect.isPublished }).print()
        try printNames(sources.filter(\.aspect.isPublished))
        try Console.line("")
        try subscribers.isEmpty
            ? Console.line("no subscriptions") : StatusTables.subscribers(subscribers).print()
    }

    private func printNames(_ sources: [AspectInfo]) throws(Failure) {
        guard !sources.isEmpty else { return }
        let listed = all ? sources : sources.filter { !$0.aspect.isOwn }
        let (table, further) = StatusTables.names(listed)
        try Console.line("")
        if !listed.isEmpty { try table.print() }
        if further > 0 { try Console.line(Style.dim("and \(further) more; --json prints all \(sources.count) names")) }
        let own = sources.count - listed.count
        if own > 0 {
            try Console.line(Style.dim("\(Count.text(own, "name")) of rules and the schedule; --all lists them"))
        }
    }

    private static func json(of bus: ServedBus) -> JSON {
        [
            "address": .string(bus.address.description), "version": bus.version.map { .string($0) } ?? .null,
            "pid": bus.process.map { .integer(Int64($0.pid)) } ?? .null,
            "uptime": bus.process.map { .integer($0.uptime.components.seconds) } ?? .null,
            "configuration": bus.process?.configuration.map { .string($0) } ?? .null,
        ]
    }
}
