// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Reveille
import ReveilleSystem
import ReveilleWire
import Varlink

/// `reveille status`: shows the bus, its sources and its subscriptions.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the bus, the source of each aspect, and all subscriptions.",
        discussion: """
            Lines are truncated to the width of the terminal, but not when written to a pipe. The uptime and the \
            configuration file are shown if the process that serves the bus is visible.
            """)

    @Flag(help: "Print one JSON object: the bus, and the replies of DescribeAspects and ListSubscriptions.")
    var json = false

    @OptionGroup var bus: BusOptions

    func run() {
        Failure.awaiting {
            let address = try bus.resolved()
            let client = try BlockingClient(address)
            try client.send(.info)
            let info = try client.receive()
            if let error = CallError(info) { throw Failure(error) }
            let version = info.parameters["version"]?.stringValue
            let process = client.peer.flatMap { ServingProcess($0.pid) }
            let device = try await Device.connect(to: address.description)
            let sources = try await device.sources()
            let subscribers = try await device.subscribers()
            if json {
                return try Console.json([
                    "bus": Self.json(of: address, version, process),
                    "aspects": .array(sources.map(\.structure)),
                    "subscriptions": .array(subscribers.map(\.structure)),
                ])
            }
            try Console.line(Style.bold("address        ") + "\(address)")
            try Console.line(Style.bold("version        ") + "\(version ?? "unknown")")
            if let process {
                try Console.line(Style.bold("uptime         ") + "\(process.uptimeText), process \(process.pid)")
                try Console.line(Style.bold("configuration  ") + "\(process.configuration ?? "defaults")")
            }
            try Console.line("")
            try Self.print(Self.table(of: sources))
            try Console.line("")
            try subscribers.isEmpty ? Console.line("no subscriptions") : Self.print(Self.table(of: subscribers))
        }
    }

    // MARK: - Text

    private static func print(_ table: Table) throws(Failure) {
        for line in table.lines(width: Console.columns) { try Console.line(line) }
    }

    private static func table(of sources: [AspectSource]) -> Table {
        var table = Table(columns: [
            Table.Column(head: "ASPECT"), Table.Column(head: "STATE"), Table.Column(head: "SOURCE", isFixed: false),
        ])
        for source in sources {
            let state =
                source.isAvailable
                ? (source.isMonitored ? Table.Cell("watched", .green) : Table.Cell("not watched"))
                : Table.Cell("unavailable", .dim)
            table.rows.append([Table.Cell(source.aspect.name, .bold), state, Table.Cell(source.text)])
        }
        return table
    }

    private static func table(of subscribers: [Subscriber]) -> Table {
        var table = Table(columns: [
            Table.Column(head: "SUBSCRIPTION"), Table.Column(head: "NAME", isFixed: false), Table.Column(head: "PID"),
            Table.Column(head: "STATE", isFixed: false), Table.Column(head: "EVENTS"), Table.Column(head: "CHANGES"),
            Table.Column(head: "PENDING", isFixed: false), Table.Column(head: "ASPECTS", isFixed: false),
        ])
        for subscriber in subscribers {
            let holds = subscriber.holds.names.joined(separator: " ")
            let aspects = subscriber.aspects.aspects
            let pending = subscriber.pending.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            table.rows.append([
                Table.Cell(subscriber.id), Table.Cell(subscriber.name ?? "-", .bold),
                Table.Cell("\(subscriber.processID)"),
                holds.isEmpty ? Table.Cell("foreground", .green) : Table.Cell("held: \(holds)", .yellow),
                Table.Cell("\(subscriber.events)"), Table.Cell("\(subscriber.changes)"),
                Table.Cell(pending.isEmpty ? "-" : pending.joined(separator: ", ")),
                Table.Cell(aspects.map(\.name).joined(separator: " ")),
            ])
        }
        return table
    }

    // MARK: - JSON

    private static func json(of address: UnixAddress, _ version: String?, _ process: ServingProcess?) -> JSON {
        [
            "address": .string(address.description), "version": version.map { .string($0) } ?? .null,
            "pid": process.map { .integer(Int64($0.pid)) } ?? .null,
            "uptime": process.map { .integer($0.uptime.components.seconds) } ?? .null,
            "configuration": process?.configuration.map { .string($0) } ?? .null,
        ]
    }
}
