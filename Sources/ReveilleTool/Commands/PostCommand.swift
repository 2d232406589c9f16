// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import ReveilleCore
import Varlink

/// `reveille post`: a synthetic state.
struct PostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "Posts a synthetic state, for tests of subscribers.",
        discussion: """
            It stands until the device's own reading next changes, or 'reveille refresh'. Fields that are \
            not given stay as they are now.

            EXAMPLES
              reveille post proximity near
              reveille post battery '{"state": "charging", "level": 0.2, "plugged": true}'
              reveille post orientation landscapeLeft
              reveille post locale de_DE
            """)

    @Argument(help: "What to post a state of.")
    var aspect: Aspect

    @Argument(help: "The fields as a JSON object, or the state, pose or locale in a word.")
    var state: String

    @OptionGroup var bus: BusOptions

    func run() {
        Failure.guarding {
            let given = try fields()
            let client = try BusClient(bus.resolved())
            let now = try client.call("GetState", Aspect.parameters([aspect]))
            var fields = now["events"]?.arrayValue?.first?.objectValue?[aspect.rawValue]?.objectValue ?? [:]
            for member in given.members { fields[member.name] = member.value }
            let posted = try client.call("Post", [aspect.rawValue: .object(fields)])
            Console.line(JSON.object(posted).description)
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
        case .battery, .proximity: return ["state": .string(state)]
        case .orientation:
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
