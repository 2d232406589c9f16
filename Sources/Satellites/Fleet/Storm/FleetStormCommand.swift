// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The program of `Scripts/fleet`.
@main
enum FleetStormCommand {
    static func main() async {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            guard let count = arguments.isEmpty ? FleetStorm.usualCount : Int(arguments.joined()), count > 0 else {
                throw Broken("usage: ReveilleFleetStorm [N]")
            }
            try await FleetStorm(count: count).run()
        } catch {
            let line = Array("fleet: \(error)\n".utf8)
            _ = write(STDERR_FILENO, line, line.count)
            exit(1)
        }
    }
}

/// A broken promise, or a missing requirement of the storm.
struct Broken: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
