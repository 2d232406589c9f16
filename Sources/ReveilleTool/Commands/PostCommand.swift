// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Reveille
import ReveilleCore
import ReveilleWire
import Varlink

/// `reveille post`: posts a synthetic state.
struct PostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "Post a synthetic state to test subscribers.",
        discussion: """
            The state remains until the device's own reading next changes, or until the owner of the bus or root \
            calls Refresh. Fields that are omitted keep their current value. Prints the resulting state.

            EXAMPLES
              reveille post proximity near
              reveille post battery '{"state": "charging", "level": 0.2, "plugged": true}'
              reveille post orientation landscapeLeft
              reveille post locale de_DE
            """)

    @Argument(help: "The aspect to post.", completion: Aspect.completion, transform: Aspect.init(argument:))
    var aspect: Aspect

    @Argument(help: "The fields as a JSON object, or the state, pose or locale as one word.")
    var state: String

    @Flag(help: "Print the resulting state as JSON, an Event of the interface.")
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

    /// Returns the given fields, completed with the current values of the others.
    private func reading(_ given: JSONObject, beside now: Event) throws(Failure) -> Reading {
        var fields = ReadingCoding.encode(now.reading, settings: now.settings).objectValue ?? [:]
        for member in given.members {
            guard fields[member.name] != nil else {
                let names = fields.members.map(\.name)
                throw Failure(
                    .usage,
                    "\(member.name): unknown field of \(aspect)\(Suggestion.phrase(for: member.name, among: names))")
            }
            fields[member.name] = member.value
        }
        do throws(CallError) {
            return try ReadingCoding.decode(.object(fields), of: aspect)
        } catch {
            let path = error.parameters["parameter"]?.stringValue ?? ""
            throw aspect.refusing(state, for: String(path.dropFirst("\(aspect).".count)))
        }
    }

    private func fields() throws(Failure) -> JSONObject {
        let json: JSON
        do throws(JSONError) {
            json = try JSON.parse(Array(state.utf8))
        } catch {
            if state.hasPrefix("{") { throw Failure(.usage, "\(state): \(error)") }
            return try fieldsOfWord()
        }
        guard let fields = json.objectValue else { throw notAnObject }
        return fields
    }

    /// Returns the fields for which the word is an abbreviation.
    private func fieldsOfWord() throws(Failure) -> JSONObject {
        let form = aspect.form
        guard let fields = try form.expand(state) else {
            throw form.fields[form.mainField]?.words.isEmpty == false
                ? aspect.refusing(state, for: form.mainField) : notAnObject
        }
        return fields
    }

    private var notAnObject: Failure {
        Failure(.usage, "\(state): \(aspect) must be a JSON object\(aspect.form.alternative)")
    }
}
