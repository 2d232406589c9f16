// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Reveille

/// The program `reveille-fleet`.
@main
struct FleetCommand: ParsableCommand {
    /// The name of the program.
    static let name = "reveille-fleet"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Connect devices to a broker of MQTT 5, and follow a fleet of them.",
        version: Device.libraryVersion,
        subcommands: [BridgeCommand.self])
}
