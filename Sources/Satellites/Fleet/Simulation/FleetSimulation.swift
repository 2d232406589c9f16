// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A fleet as numbers, as virtual devices, and as real connections, for `Scripts/fleet`.
@main
enum FleetSimulation {
    private static let usage = "usage: ReveilleFleetSimulation day [phone|kiosk] | arithmetic | virtual [N] | storm [N]"

    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        let number = arguments.count == 2 ? Int(arguments[1]).flatMap { $0 > 0 ? $0 : nil } : nil
        switch (arguments.first, arguments.count) {
        case ("day", 1...2):
            let name = arguments.dropFirst().first ?? DayScenario.phone.name
            guard let scenario = DayScenario.all.first(where: { $0.name == name }) else { return misuse() }
            DayTable(scenario: scenario).print()
        case ("arithmetic", 1): FleetArithmetic().print()
        case ("virtual", 1),
            ("virtual", 2) where number != nil:
            var run = VirtualRun(count: number ?? VirtualRun.usualCount)
            try run.run()
        case ("storm", let count) where count == 1 || number != nil:
            try FleetStorm(count: number ?? FleetStorm.usualCount).run()
        case (DeviceGroup.argument, _): try DeviceGroup.run(Array(arguments.dropFirst()))
        case (StormReader.argument, _): try StormReader.run(Array(arguments.dropFirst()))
        default: misuse()
        }
    }

    private static func misuse() {
        complain(usage)
        exit(64)
    }

    private static func complain(_ text: String) {
        let line = Array(("fleet: " + text + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
