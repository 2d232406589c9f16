// SPDX-License-Identifier: Apache-2.0

/// A received method call: its header, and its leading strings.
package struct SensorCall: Sendable, Hashable {
    package var object: SensorObject
    /// The interface; a call may leave it out.
    package var interface: String?
    package var member: String
    package var signature: String
    /// The arguments up to the first that is not a string.
    package var strings: [String]

    package init(
        _ object: SensorObject, interface: String?, member: String, signature: String = "", strings: [String] = []
    ) {
        self.object = object
        self.interface = interface
        self.member = member
        self.signature = signature
        self.strings = strings
    }
}

/// A call that is carried out.
package enum SensorRequest: Sendable, Hashable {
    case claim(Sensor)
    case release(Sensor)
    case get(SensorProperty)
    case getAll
    /// A call whose answer never changes.
    case answer(SensorAnswer)
}

package enum SensorAnswer: Sendable, Hashable {
    case done
    case value(PropertyValue)
    case values([PropertyEntry])
    /// A description in XML.
    case description(String)
}

package struct SensorRefusal: Error, Sendable, Hashable {
    /// The name of the D-Bus error.
    package let name: String
    package let message: String

    init(_ name: String, _ message: String) {
        self.name = "org.freedesktop.DBus.Error." + name
        self.message = message
    }
}

extension SensorRequest {
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let introspectable = "org.freedesktop.DBus.Introspectable"

    /// Refuses an unknown interface, method or property, other arguments, and `Set`.
    package init(_ call: SensorCall) throws(SensorRefusal) {
        let interfaces = [call.object.interface, Self.properties, Self.introspectable]
        if let interface = call.interface, !interfaces.contains(interface) {
            throw SensorRefusal("UnknownInterface", "\(call.object.path) has no interface '\(interface)'")
        }
        if call.names("Get", of: Self.properties) {
            try call.require("ss")
            self = try Self.get(call.strings[1], in: call.strings[0], of: call.object)
        } else if call.names("GetAll", of: Self.properties) {
            try call.require("s")
            try call.object.checkHas(interface: call.strings[0])
            self = call.object == .sensors ? .getAll : .answer(.values(SensorObject.noCompass))
        } else if call.names("Set", of: Self.properties) {
            try call.require("ssv")
            _ = try Self.get(call.strings[1], in: call.strings[0], of: call.object)
            throw SensorRefusal("PropertyReadOnly", "the property '\(call.strings[1])' is read-only")
        } else if call.names("Introspect", of: Self.introspectable) {
            try call.require("")
            self = .answer(.description(call.object.introspection))
        } else {
            self = try Self.method(call)
        }
    }

    private static func method(_ call: SensorCall) throws(SensorRefusal) -> SensorRequest {
        let isOwn = call.interface == nil || call.interface == call.object.interface
        guard isOwn, call.object.methods.contains(call.member) else {
            let interface = call.interface.map { "\($0)." } ?? ""
            throw SensorRefusal("UnknownMethod", "\(call.object.path) has no method '\(interface)\(call.member)'")
        }
        try call.require("")
        // The device never has a compass, so a claim of one changes nothing.
        for sensor in Sensor.allCases {
            if call.member == "Claim" + sensor.rawValue { return .claim(sensor) }
            if call.member == "Release" + sensor.rawValue { return .release(sensor) }
        }
        return .answer(.done)
    }

    private static func get(
        _ name: String, in interface: String, of object: SensorObject
    ) throws(SensorRefusal) -> SensorRequest {
        try object.checkHas(interface: interface)
        switch object {
        case .sensors: if let property = SensorProperty(rawValue: name) { return .get(property) }
        case .compass:
            if let entry = SensorObject.noCompass.first(where: { $0.name == name }) {
                return .answer(.value(entry.value))
            }
        }
        throw SensorRefusal("UnknownProperty", "\(object.interface) has no property '\(name)'")
    }
}

extension SensorCall {
    fileprivate func names(_ member: String, of interface: String) -> Bool {
        self.member == member && (self.interface == nil || self.interface == interface)
    }

    fileprivate func require(_ signature: String) throws(SensorRefusal) {
        guard self.signature == signature else {
            let expected = signature.isEmpty ? "no arguments" : "the arguments '\(signature)'"
            throw SensorRefusal("InvalidArgs", "\(member) takes \(expected), not '\(self.signature)'")
        }
    }
}
