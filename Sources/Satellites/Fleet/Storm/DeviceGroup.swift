// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleFleetCore
import ReveilleMQTT
import ReveilleSimulation
import ReveilleSystem

/// The devices of one process.
enum DeviceGroup {
    /// The word on the command line.
    static let argument = "devices"

    /// Runs devices and answers commands: `change N`, `settled`, `truth PATH`, `connected PATH`.
    ///
    /// - Parameter arguments: The port of the broker, the number of the first device, the number of devices, a seed.
    /// - Throws: `Broken` if an argument is invalid, `SystemError` if the loop fails.
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 4, let first = Int(arguments[1]), let count = Int(arguments[2]),
            var random = UInt64(arguments[3]).map({ SplitMix64(seed: $0) })
        else { throw Broken("invalid group of devices") }
        let broker = try StormBroker.endpoint(arguments[0])
        DescriptorLimit.raise()
        let commands = try CommandLoop()
        let devices = try (first..<first + count).map { number in
            try SimulatedDevice(
                try DeviceID(name(number)), broker: broker, loop: commands.loop,
                random: SplitMix64(seed: random.next()))
        }
        for device in devices { device.start() }
        try commands.run { words in
            switch (words.first, words.last) {
            case ("change", let times?):
                for _ in 0..<(Int(times) ?? 0) { for device in devices { device.change() } }
            case ("settled", _): return "\(devices.count(where: \.isSettled))"
            case ("truth", let path?):
                Tallies.write(
                    devices.flatMap { device in
                        device.states.map {
                            Tallies.key(device.id, $0.aspect) + " \($0.position.instance) \($0.position.generation)"
                        }
                    }, to: path)
            case ("connected", let path?): Tallies.write(devices.map { "\($0.connectedAt)" }, to: path)
            default: break
            }
            return "0"
        }
    }

    private static func name(_ number: Int) -> String { "device-" + String(100_000 + number).dropFirst() }
}
