// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole

/// The program `reveille-fleet`.
@main
struct FleetCommand: ParsableCommand {
    static let name = "reveille-fleet"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Connect devices to a broker of MQTT 5, and follow a fleet of them.",
        discussion: """
            A bridge publishes the states of its device to the broker, which keeps the newest. A reader that was away \
            receives one event for each state that has changed, with the number of changes.

            EXAMPLES
              reveille-fleet bridge                     connect this device
              reveille-fleet watch                      print the changes of all devices
              reveille-fleet watch 'shop-*' --aspect battery
              reveille-fleet status                     list the devices
              reveille-fleet get kiosk-7 battery        print a state
              reveille-fleet set kiosk-7 org.example.mode '{"mode": "night"}'
                                                        publish a state on its bus
              reveille-fleet desired                    list what is set and applied

            EXIT CODES
              0 success, 1 failure, 64 usage error, 69 broker unavailable, 74 output error,
              75 temporary failure, 77 certificate rejected or not authorized,
              78 configuration error, 124 timeout
            """,
        version: Device.libraryVersion,
        subcommands: [
            BridgeCommand.self, FleetWatchCommand.self, FleetGetCommand.self, FleetStatusCommand.self,
            FleetSetCommand.self, FleetDesiredCommand.self, FleetRemoveCommand.self,
        ])

    static func main() { runProgram() }
}
