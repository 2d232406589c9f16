// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole
import ReveilleWire
import Varlink

struct PostCommand: AwaitingCommand {
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

    @Argument(
        help: "The aspect to post.", completion: .list(BuiltInAspect.postable),
        transform: BuiltInAspect.init(postableArgument:))
    var aspect: BuiltInAspect

    @Argument(
        help: "The fields as a JSON object, or the state, pose or locale as one word.",
        completion: BuiltInAspect.stateCompletion)
    var state: String

    @Flag(help: "Print the resulting state as JSON, an Event of the interface.")
    var json = false

    @OptionGroup var bus: BusOptions

    func perform() async throws {
        let fields = try fields()
        let device = try await bus.device()
        _ = try await device.postSynthetic(reading(fields, beside: device.event(of: Aspect(aspect))))
        try await device.printState(of: Aspect(aspect), json: json)
    }

    private func reading(_ fields: PartialReading?, beside now: Event) throws(Failure) -> Reading {
        guard let fields else {
            return aspect.abbreviated(state, after: now.reading) ?? now.reading
        }
        do throws(PartialReading.Invalid) {
            return try fields.completed(with: now)
        } catch {
            switch error {
            case .unknownField(let name, let known):
                throw Failure(
                    .usage, "\(name): unknown field of \(aspect)\(Suggestion.phrase(for: name, among: known))")
            case .invalidValue(let field): throw aspect.refusing(state, for: field)
            }
        }
    }

    /// Returns the given fields; `nil` if the state is an abbreviation.
    private func fields() throws(Failure) -> PartialReading? {
        do throws(JSONError) {
            if let fields = try PartialReading(parsing: state) { return fields }
        } catch {
            if state.hasPrefix("{") { throw Failure(.usage, "\(state): \(error)") }
            if state.contains("="), let field = state.split(separator: "=").first.map({ String($0) }),
                let values = aspect.values(of: field)
            {
                throw Failure(
                    .usage, "\(state): \(aspect).\(field) must be \(values), in a JSON object: {\"\(field)\": …}")
            }
            guard isAbbreviation else {
                throw aspect.values(of: aspect.mainField)?.words.isEmpty == false
                    ? aspect.refusing(state, for: aspect.mainField) : notAnObject
            }
            return nil
        }
        // A number may be an abbreviation.
        guard isAbbreviation else { throw notAnObject }
        return nil
    }

    private var isAbbreviation: Bool { aspect.abbreviated(state, after: .unknown(Aspect(aspect))) != nil }

    private var notAnObject: Failure {
        Failure(.usage, "\(state): \(aspect) must be a JSON object\(aspect.alternatives)")
    }
}

extension BuiltInAspect {
    /// Returns the error for a value that a field, `state` or `packs.level`, does not accept.
    func refusing(_ value: String, for field: String) -> Failure {
        let values = values(of: field) ?? .text
        let hint = Suggestion.phrase(for: value, among: values.words)
        return Failure(.usage, "\(value): \(self).\(field) must be \(values)\(hint)")
    }
}
