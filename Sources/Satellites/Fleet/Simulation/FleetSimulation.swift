// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A fleet as numbers, as virtual devices, and as real connections, for `Scripts/fleet`.
@main
enum FleetSimulation {
    private static let usage = "usage: ReveilleFleetSimulation day [phone|kiosk] | arithmetic"

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("day", 1): DayTable(scenario: .phone).print()
        case ("day", 2):
            guard let scenario = DayScenario.all.first(where: { $0.name == arguments[1] }) else {
                return complain(usage)
            }
            DayTable(scenario: scenario).print()
        case ("arithmetic", 1): FleetArithmetic().print()
        default: complain(usage)
        }
    }

    private static func complain(_ text: String) {
        let line = Array(("fleet: " + text + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(64)
    }
}
