// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleDBusCore
import ReveilleHost
import ReveilleWire

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print for each rule the number of its services and published names, and whether it is needed.")

    @OptionGroup var setup: SetupOptions
    @OptionGroup var bus: OwnBus

    func run() throws {
        let configuration = try setup.read()
        let (needed, published) = try Failure.coded(.noBus) {
            let client = try BlockingClient(try BusAddress.resolve(try bus.resolvedAddress()))
            let states = try client.call(GetState(configuration.demands))
            let demands = try client.call(ObserveDemand(configuration.demands))
            let names = states.events.filter { $0.reading.published?.isWithdrawn == false }.map(\.aspect)
            return (Set(demands.filter(\.isNeeded).map(\.aspect)), names)
        }
        var found: [PropertyRule.Bus: [String]] = [:]
        for bus in Set(configuration.rules.map(\.bus)) {
            found[bus] = try DBusConnection.names(on: bus == .session ? .user : .system)
        }
        let rows = configuration.rules.map { rule in
            let services = found[rule.bus].map { names in names.filter(rule.service.matches).count }
            let names = published.filter(rule.name.demand.spans)
            return [
                rule.key, rule.name.text, services.map { "\($0)" } ?? "?", "\(names.count)",
                needed.contains(rule.name.demand) ? "yes" : "no",
            ].map { Table.Cell($0) }
        }
        try Table(columns: ["RULE", .loose("NAME"), "SERVICES", "PUBLISHED", "NEEDED"], rows: rows).print()
    }
}
