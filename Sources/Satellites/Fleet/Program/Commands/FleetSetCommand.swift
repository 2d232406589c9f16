// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ReveilleConsole
import ReveilleCore
import ReveilleFleet
import ReveilleFleetCore
import ReveilleSystem
import ReveilleWire
import Varlink

struct FleetSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set a value that a device, or a group of devices, publishes on its own bus.",
        discussion: """
            The broker keeps the value. A device that is away receives the newest when it is back, once, with the number \
            of times it was set. The configuration of the device's bridge allows the name and lists its groups. A value \
            for the device counts before one for a group.

            For one device, the exit code is 0 if the device has taken the value, or does not report which values it \
            takes; 75 if it is away, and takes the value when it is back; 77 if it is connected, but has not taken it \
            within \(DesiredAnswer.patience) s; and 1 if no such device has connected to the broker. The broker keeps \
            the value in every case. "reveille-fleet desired" lists who has taken the values for groups.

            EXAMPLES
              reveille-fleet set kiosk-7 org.example.mode '{"mode": "night"}'
              reveille-fleet set --group shops org.example.mode '{"mode": "day"}'
              reveille-fleet set kiosk-7 org.example.mode --delete
            """)

    @Argument(help: "The device, unless a group is given; the name; and a JSON object, or - for stdin.")
    var arguments: [String]

    @Option(help: "A group of devices, instead of one device.")
    var group: String?

    @Flag(help: "Delete the value: the devices withdraw the name, or use the value of a group.")
    var delete = false

    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        let words = (group == nil ? ["DEVICE"] : []) + ["NAME"] + (delete ? [] : ["VALUE"])
        guard arguments.count != words.count else { return }
        let problem =
            arguments.count < words.count
            ? "missing \(words[arguments.count])" : "unexpected argument '\(arguments[words.count].printable)'"
        throw ValidationError("\(problem): set \(group == nil ? "" : "--group GROUP ")\(words.joined(separator: " "))")
    }

    func run() {
        Failure.guarding(broker) {
            let target = try topic()
            let topic = target.text
            let value = try delete ? nil : value()
            var edit = DesiredEdit(id: Self.newIdentity(), value: value)
            var position: FleetPosition?
            let broker = try broker.fleet()
            try BrokerEdit.run([topic], on: broker) { contents throws(Failure) in
                for message in contents.received { edit.take(message.payload) }
                switch edit.next(at: Clocks.wall(), fraction: .random(in: 0...1)) {
                case .publish(let payload): return .publish([(topic, payload)])
                case .pause(let duration): return .pause(duration)
                case .unreadable:
                    throw Failure(
                        .permission,
                        """
                        \(topic) was set, but the broker does not let this user read it, so that devices cannot know how \
                        often it was set. The rule that is missing for mosquitto: topic readwrite \(topic)
                        """)
                case .done(let last):
                    position = last
                    return .publish([])
                }
            }
            guard value == nil || position != nil else {
                throw Failure(.failure, "\(topic) was set, and then replaced or deleted by another program")
            }
            guard case .desired(let device, let name) = target else { return }
            try report(DesiredChange(device, name, position, isDeletion: value == nil), on: broker)
        }
    }

    /// Reports how the device handles the change.
    private func report(_ change: DesiredChange, on broker: FleetBroker) throws {
        let (device, what) = (change.device, (delete ? "the deletion of " : "") + change.name)
        switch try DesiredAnswer.wait(for: change, on: broker) {
        case .taken: try Console.line("\(device) has taken \(what)")
        case .unreported: try Console.line("\(device) is connected, but does not report which values it takes")
        case .later(let reason):
            let state = reason == .noBus ? "without its bus" : reason.rawValue
            throw Failure(.tryAgain, "\(device) is \(state); it takes \(what) when it is back")
        case .refused:
            throw Failure(
                .permission,
                "\(device) is connected, but has not taken \(what) within \(DesiredAnswer.patience) s; "
                    + "its bridge and its bus must allow the fleet to set it")
        case .noDevice:
            throw Failure(
                .failure, "no device '\(device)' has connected to \(broker); the broker keeps \(what) for it")
        }
    }

    private func topic() throws -> FleetTopic {
        let name = arguments[group == nil ? 1 : 0]
        guard FleetTopic.isAspect(name), name.contains(".") else {
            throw Failure(
                .usage, "the name '\(name.escaped)': must be the name of a published state, such as org.example.mode")
        }
        guard let group else { return .desired(try DeviceID(arguments[0]), name) }
        // Groups have the form of devices.
        return .groupDesired(try DeviceID(group).text, name)
    }

    private func value() throws(Failure) -> JSONObject {
        let name = arguments[arguments.count - 2]
        let value = try JSONObject(
            argument: arguments[arguments.count - 1], for: name, maximumDepth: PublishedValue.depthLimit,
            withdrawal: "reveille-fleet set --delete")
        if let refusal = PublishedValue.refusal(of: value) {
            throw Failure(.permission, "\(name): no bus takes the value, which \(refusal)")
        }
        return value
    }

    private static func newIdentity() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }
}
