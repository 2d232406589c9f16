// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Reveille
import ReveilleWire
import Varlink

/// `reveille post`: a synthetic state.
struct PostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "Posts a synthetic state, for tests of subscribers.",
        discussion: """
            It stands until the device's own reading next changes, or until the bus's own user or root calls \
            Refresh. Fields that are not given stay as they are now. Prints the state that stands then.

            EXAMPLES
              reveille post proximity near
              reveille post battery '{"state": "charging", "level": 0.2, "plugged": true}'
              reveille post orientation landscapeLeft
              reveille post locale de_DE
            """)

    @Argument(help: "What to post a state of.", completion: Aspect.completion, transform: Aspect.init(argument:))
    var aspect: Aspect

    @Argument(help: "The fields as a JSON object, or the state, pose or locale in a word.")
    var state: String

    @Flag(help: "Print the state that stands then as JSON: the interface's Event.")
    var json = false

    @OptionGroup var bus: BusOptions

    func run() {
        Failure.awaiting {
            let given = try fields()
            let device = try await bus.device()
            try await device.post(reading(given, beside: device.state(of: aspect)))
            let event = try await device.state(of: aspect)
            try json ? Console.json(EventCoding.encode(event)) : Console.line(EventText.line(event))
        }
    }

    /// The state that was given, with what it does not say as it is now.
    private func reading(_ given: JSONObject, beside now: Event) throws(Failure) -> Reading {
        var fields = ReadingCoding.encode(now.reading, settings: now.settings).objectValue ?? [:]
        for member in given.members {
            guard fields[member.name] != nil else {
                let names = fields.members.map(\.name)
                throw Failure(
                    .usage,
                    "\(member.name): \(aspect) has no such field\(Suggestion.phrase(for: member.name, among: names))")
            }
            fields[member.name] = member.value
        }
        do throws(CallError) {
            return try ReadingCoding.decode(.object(fields), of: aspect)
        } catch {
            let field = error.parameters["parameter"]?.stringValue ?? aspect.rawValue
            throw StateField(name: field).refusing(state)
        }
    }

    private func fields() throws(Failure) -> JSONObject {
        if state.hasPrefix("{") {
            do throws(JSONError) {
                return try JSON.parse(Array(state.utf8)).objectValue ?? [:]
            } catch {
                throw Failure(.usage, "\(state): \(error)")
            }
        }
        switch aspect {
        case .battery, .proximity:
            try StateField(name: "\(aspect).state").check(state)
            return ["state": .string(state)]
        case .orientation:
            try StateField(name: "orientation.pose").check(state)
            let isPlanar = Orientation.Pose(rawValue: state)?.isPlanar == true
            return isPlanar ? ["pose": .string(state), "planar": .string(state)] : ["pose": .string(state)]
        case .locale:
            let name = JSON.string(state)
            return [
                "identifier": name, "languages": [.string(state.replacing("_", with: "-"))], "numeric": name,
                "time": name, "monetary": name, "measurement": name,
            ]
        case .defaults: throw Failure(.usage, "settings are posted as a JSON object with the field domains")
        }
    }
}
