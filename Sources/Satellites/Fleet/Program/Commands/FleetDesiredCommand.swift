// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ReveilleConsole
import ReveilleFleet
import ReveilleFleetCore

struct FleetDesiredCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "desired",
        abstract: "List the values that are set for devices and groups, and whether they are applied.",
        discussion: """
            A value is applied when the bus of the device has taken it. A device that is lost, or has an older version, \
            does not say so, and neither does any device for values that other programs have set without a number.

            EXAMPLES
              reveille-fleet desired
              reveille-fleet desired 'shop-*' --json | jq '.[] | select(.applied == false)'
            """)

    @Argument(help: "Devices, and patterns in which * stands for any characters. Default: all, and all groups.")
    var devices: [String] = []

    @Flag(help: "Print one JSON array with an object for each value.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    func run() {
        Failure.guarding(broker) {
            let interest = try FleetInterest(devices: devices)
            var kept: [String: [UInt8]] = [:]
            try BrokerEdit.run(DesiredTable.filters, on: try broker.fleet()) { contents throws(Failure) in
                kept = contents.kept
                return .publish([])
            }
            let rows = DesiredTable.rows(kept, isSelected: devices.isEmpty ? nil : { interest.contains($0) })
            if json { return try Console.json(DesiredTable.json(rows)) }
            guard !rows.isEmpty else { return try Console.line("nothing is set") }
            try Console.table(DesiredTable.columns, rows)
        }
    }
}
