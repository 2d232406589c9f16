// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
package import Varlink

/// Asks for the description of the device.
package struct DescribeDevice: BareMethod {
    package typealias Answer = DeviceInfo
    package static var name: String { "org.reveille.Device.GetInfo" }

    package init() {}
}

extension DeviceInfo: BusReply, WireStructure {
    package init(_ parameters: JSONObject, noting unknownWords: UnknownWords) throws(CallError) {
        var fields = Fields(parameters, noting: unknownWords)
        let identifier = try fields.string("identifier")
        self.init(
            name: try fields.string("name"), model: try fields.optionalString("model"),
            vendor: try fields.optionalString("vendor"), chassis: try fields.optionalWord("chassis"),
            system: try fields.string("system"), systemVersion: try fields.string("systemVersion"),
            kernel: try fields.string("kernel"), identifier: identifier.isEmpty ? nil : identifier,
            processors: try fields.count("processors"),
            frequency: try fields.optionalCount("frequency"), memory: try fields.count("memory"))
    }

    package var parameters: JSONObject { object }

    @usableFromInline package func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add("name", name)
        fields.add("model", model)
        fields.add("vendor", vendor)
        fields.add("chassis", chassis?.rawValue)
        fields.add("system", system)
        fields.add("systemVersion", systemVersion)
        fields.add("kernel", kernel)
        // The interface has no null here.
        fields.add("identifier", identifier ?? "")
        fields.add("processors", processors)
        fields.add("frequency", frequency)
        fields.add("memory", memory)
    }
}

extension Chassis: WordSet {}

/// Asks for capabilities by name.
package struct CheckCapabilities: BusMethod {
    package typealias Answer = [CapabilityCheck]
    package static var name: String { "org.reveille.Device.Check" }
    package let names: [String]

    package init(_ names: [String]) { self.names = names }

    package init(_ fields: inout Fields, history _: Int) throws(CallError) {
        names = try fields.strings("capabilities")
        guard names.count <= BusInterface.capabilityLimit else {
            throw fields.invalid("capabilities", "must be at most \(BusInterface.capabilityLimit)")
        }
    }

    package var parameters: JSONObject { ["capabilities": JSON(strings: names)] }
}

/// The interface's structure `Answer`.
package struct CapabilityCheck: Sendable, Hashable {
    package var capability: String
    package var answer: CapabilityAnswer

    package init(_ capability: String, _ answer: CapabilityAnswer) {
        self.capability = capability
        self.answer = answer
    }
}

extension CapabilityCheck: ReplyElement {
    private enum Word: String, WordSet {
        case yes, no, unknown
    }

    package static var list: FieldName { "answers" }

    package init(_ fields: inout Fields) throws(CallError) {
        capability = try fields.string("capability")
        let reason = try fields.optionalString("reason")
        let word: Word = try fields.word("answer", else: .unknown)
        answer =
            switch word {
            case .yes: .yes
            case .no: .no(reason ?? "no reason is given")
            case .unknown: .unknown
            }
    }

    package var structure: JSON {
        let (word, reason): (Word, String?) =
            switch answer {
            case .yes: (.yes, nil)
            case .no(let reason): (.no, reason)
            case .unknown: (.unknown, nil)
            }
        return [
            "capability": .string(capability), "answer": .string(word.rawValue),
            "reason": reason.map { .string($0) } ?? .null,
        ]
    }
}
