// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ReveilleConsole
import ReveilleCore
import ReveilleFleet
import ReveilleFleetCore
import ReveilleSystem

struct FleetStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "List the devices: whether they are connected, when they were last seen, and their batteries.",
        discussion: """
            Times are on the broker's clock. A device is overdue if it slept through two of its wakes. Lines are \
            truncated to the width of the terminal, but not when written to a pipe.

            EXAMPLES
              reveille-fleet status
              reveille-fleet status 'shop-*' --json | jq -r '.[].device'
            """)

    @Argument(help: "Devices, and patterns in which * stands for any characters. Default: all.")
    var devices: [String] = []

    @Flag(help: "Print one JSON array with an object for each device.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    @OptionGroup var logging: LogOptions

    func run() {
        Failure.guarding(broker) {
            let rows = try readRows()
            if json { return try Console.json(FleetTable.json(rows)) }
            guard !rows.isEmpty else { return try Console.line("no devices") }
            try Console.table(FleetTable.columns, rows)
            try Console.line("")
            try Console.line(Style.dim(StyledText(FleetTable.summary(rows))))
        }
    }

    private func readRows() throws -> [FleetTable.Row] {
        let (fleet, log) = (try broker.fleet(), try logging.log(of: FleetCommand.name))
        let interest = try FleetInterest(devices: devices, aspects: ["battery"])
        let snapshot = try FleetSnapshot.read(interest, from: fleet, log)
        var (statuses, states) = (snapshot.statuses, snapshot.states)
        // The status of a lost device is its will, which names no aspects, so they are read from the broker.
        let unlisted = statuses.values.filter(\.aspects.isEmpty).map(\.device.text)
        if !unlisted.isEmpty {
            let whole = try FleetSnapshot.read(try FleetInterest(devices: unlisted), from: fleet, log)
            statuses.merge(whole.statuses) { $1 }
            states.merge(whole.states) { $1 }
        }
        return FleetTable.rows(statuses: statuses, states: states, at: Timestamp(microseconds: Clocks.wall()))
    }
}
