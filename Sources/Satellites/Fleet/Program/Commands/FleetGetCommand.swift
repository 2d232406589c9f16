// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ReveilleConsole
import ReveilleFleet
import ReveilleFleetCore

struct FleetGetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the current states of a device.",
        discussion: """
            The broker has the states, also while the device is asleep or lost. Exits with 1 if it has none, or not each \
            aspect that is named.

            EXAMPLES
              reveille-fleet get kiosk-7
              reveille-fleet get kiosk-7 battery --json | jq .value.level
            """)

    @Argument(help: "The device.")
    var device: String

    @Argument(help: "Aspects, names and patterns such as org.example.*. Default: all.")
    var aspects: [String] = []

    @Flag(help: "Print each state as a line of JSON.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    @OptionGroup var logging: LogOptions

    func run() {
        Failure.guarding(broker) {
            let device = try DeviceID(device)
            let interest = try FleetInterest(devices: [device.text], aspects: aspects)
            let snapshot = try FleetSnapshot.read(
                interest, from: try broker.fleet(), try logging.log(of: FleetCommand.name))
            let states = (snapshot.states[device] ?? [:]).values.sorted { $0.aspect < $1.aspect }
            let column = FleetEventText.column(nil, with: device)
            for state in states {
                try json
                    ? Console.json(state.json)
                    : Console.line(
                        FleetEventText.time(state.changedAt, withDate: true)
                            + FleetEventText.line(state, column: column))
            }
            let missing = interest.aspects.filter { pattern in !states.contains { pattern.matches($0.aspect) } }
                .map(\.description)
            guard states.isEmpty || !missing.isEmpty else { return }
            let what = missing.isEmpty ? "states" : missing.joined(separator: ", ")
            throw Failure(.failure, "\(device): the broker has no \(what)\(snapshot.hint(of: device))")
        }
    }
}

extension FleetSnapshot {
    fileprivate func hint(of device: DeviceID) -> String {
        guard let status = statuses[device] else { return "; no device of this name has connected" }
        return status.aspects.isEmpty ? "" : "; the device has \(status.aspects.joined(separator: ", "))"
    }
}
