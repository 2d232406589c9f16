// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ReveilleConsole
import ReveilleFleet
import ReveilleFleetCore

struct FleetRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Delete all that the broker keeps of a device: its status, states and desired values.",
        discussion: """
            For a device that is not coming back. One that is connected is refused, because it would publish its states \
            again. Its announcement to Home Assistant is deleted too, which removes it there.

            EXAMPLES
              reveille-fleet remove kiosk-7
            """)

    @Argument(help: "The device.")
    var device: String

    @Flag(help: "Remove the device even if it is connected.")
    var force = false

    @OptionGroup var broker: BrokerOptions

    func run() {
        Failure.guarding(broker) {
            let device = try DeviceID(device)
            let force = force
            var hasBegun = false
            let announcement = Discovery.topic(of: device)
            try BrokerEdit.run(["\(FleetTopic.root)/\(device)/#", announcement], on: try broker.fleet()) {
                contents throws(Failure) in
                let status = contents.kept[FleetTopic.status(device).text].flatMap { try? StatusMessage($0) }
                if status?.isOnline == true, !force {
                    throw Failure(
                        .failure,
                        hasBegun
                            ? "\(device) has connected meanwhile, and publishes again"
                            : "\(device) is connected: stop its bridge first, or use --force")
                }
                if contents.kept.isEmpty, !hasBegun {
                    throw Failure(.failure, "the broker has nothing of \(device)")
                }
                hasBegun = true
                return .publish(contents.kept.keys.sorted().map { ($0, []) })
            }
        }
    }
}
