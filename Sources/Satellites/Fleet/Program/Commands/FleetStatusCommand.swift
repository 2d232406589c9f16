// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import ReveilleConsole
import ReveilleFleet
import ReveilleFleetCore
import ReveilleSystem

/// `reveille-fleet status`: lists the devices.
struct FleetStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "List the devices: whether they are connected, when they were last seen, and their batteries.",
        discussion: """
            Times are those of the broker's clock. A device is overdue if it slept through two of its wakes. Lines are \
            truncated to the width of the terminal, but not when written to a pipe.

            EXAMPLES
              reveille-fleet status
              reveille-fleet status 'shop-*' --json | jq '.[] | select(.state == "lost") | .device'
            """)

    @Argument(help: "Devices, and patterns in which * stands for any characters. Default: all.")
    var devices: [String] = []

    @Flag(help: "Print one JSON array with an object for each device.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    func run() {
        Failure.guarding(broker) {
            let interest = try FleetInterest(devices: devices, aspects: ["battery"])
            let snapshot = try FleetSnapshot.read(interest, from: try broker.fleet(), try broker.log())
            var table = FleetTable()
            for states in snapshot.states.values {
                for state in states.values { table.take(.state(state)) }
            }
            let rows = table.rows(of: snapshot.ledger, at: snapshot.time)
            if json { return try Console.json(FleetTable.json(rows)) }
            guard !rows.isEmpty else { return try Console.line("no devices") }
            for line in FleetTable.lines(rows, width: Console.columns) { try Console.line(StyledText(line)) }
            try Console.line("")
            try Console.line(Style.dim(StyledText(FleetTable.summary(rows))))
        }
    }
}
