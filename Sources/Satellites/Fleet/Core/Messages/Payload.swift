// SPDX-License-Identifier: Apache-2.0

import Varlink

/// The payload of a message: a JSON object, with clear errors for everything else.
struct Payload {
    let object: JSONObject

    init(_ bytes: [UInt8]) throws(FleetError) {
        guard bytes.count <= FleetTopic.payloadLimit else {
            throw Self.error("has \(bytes.count) bytes, the maximum is \(FleetTopic.payloadLimit)")
        }
        let value = try Result { () throws(JSONError) in try JSON.parse(bytes) }
            .mapError { Self.error("is not JSON: \($0)") }.get()
        guard let members = value.objectValue else { throw Self.error("is not a JSON object") }
        object = members
    }

    /// An optional member; `null` counts as missing.
    private func member<Value>(
        _ name: String, _ type: String, _ read: (JSON) -> Value?
    ) throws(FleetError) -> Value? {
        guard let member = object[name], !member.isNull else { return nil }
        guard let value = read(member) else { throw Self.error("has \"\(name)\" that is not \(type)") }
        return value
    }

    func text(_ name: String) throws(FleetError) -> String? { try member(name, "a string", \.stringValue) }

    func flag(_ name: String) throws(FleetError) -> Bool? { try member(name, "a boolean", \.boolValue) }

    func texts(_ name: String) throws(FleetError) -> [String]? {
        try member(name, "an array of strings") { value in
            guard let values = value.arrayValue else { return nil }
            let texts = values.compactMap(\.stringValue)
            return texts.count == values.count ? texts : nil
        }
    }

    /// An optional integer of at least 0.
    func count(_ name: String, atMost limit: Int64 = .max) throws(FleetError) -> Int64? {
        guard let value = try member(name, "an integer", \.integerValue) else { return nil }
        guard value >= 0 else { throw Self.error("has \"\(name)\" \(value), less than 0") }
        guard value <= limit else { throw Self.error("has \"\(name)\" \(value), more than \(limit)") }
        return value
    }

    static func required<Value>(_ value: Value?, _ name: String) throws(FleetError) -> Value {
        guard let value else { throw error("has no \"\(name)\"") }
        return value
    }

    static func error(_ problem: String) -> FleetError { FleetError(.invalidMessage, "the payload \(problem)") }
}
