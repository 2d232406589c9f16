// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The processes of `Scripts/fleet`: the storm, and its devices and reader.
@main
enum FleetStormCommand {
    private static let usage = "usage: ReveilleFleetStorm [N]"

    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        switch arguments.first {
        case nil: try FleetStorm(count: FleetStorm.usualCount).run()
        case DeviceGroup.argument: try DeviceGroup.run(Array(arguments.dropFirst()))
        case StormReader.argument: try StormReader.run(Array(arguments.dropFirst()))
        case let number?:
            guard arguments.count == 1, let count = Int(number), count > 0 else {
                complain(usage)
                exit(64)
            }
            try FleetStorm(count: count).run()
        }
    }

    private static func complain(_ text: String) {
        let line = Array(("fleet: " + text + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
