// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole
import ReveilleWire
import Varlink

struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Describe the device: model, system, processors and memory.",
        discussion: """
            The identifier is a different one for each user, and cannot be traced to the hardware. What the firmware \
            does not state is shown as a dash. 'reveille check' shows what the device can do.

            EXAMPLES
              reveille info
              reveille info --json | jq -r .model
            """)

    @Flag(help: "Print one JSON object, the reply of org.reveille.Device.GetInfo.")
    var json = false

    @OptionGroup var bus: BusOptions

    func run() {
        Failure.awaiting {
            let info = try await bus.device().info
            if json { return try Console.json(.object(info.parameters)) }
            for (name, value) in Self.rows(of: info) {
                try Console.line(Style.bold(StyledText(name)).padded(to: 15) + StyledText(value ?? "-"))
            }
        }
    }

    private static func rows(of info: DeviceInfo) -> [(String, String?)] {
        [
            ("name", info.name), ("model", info.model), ("vendor", info.vendor),
            ("chassis", info.chassis?.rawValue),
            ("system", [info.system, info.systemVersion].filter { !$0.isEmpty }.joined(separator: " ")),
            ("kernel", info.kernel), ("identifier", info.identifier),
            ("processors", "\(info.processors)" + (info.frequency.map { ", \(rounded($0, 1e9)) GHz at most" } ?? "")),
            ("memory", info.memory > 0 ? "\(rounded(info.memory, 0x1p30)) GiB" : nil),
        ]
    }

    /// Returns a number in a unit, rounded to one decimal.
    private static func rounded(_ number: Int, _ unit: Double) -> Double {
        (Double(number) / unit * 10).rounded() / 10
    }
}
