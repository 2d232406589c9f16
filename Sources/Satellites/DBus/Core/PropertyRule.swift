// SPDX-License-Identifier: Apache-2.0

/// Objects on a message bus, and the name under which the state of each is published.
package struct PropertyRule: Sendable, Hashable {
    package enum Bus: String, Sendable, CaseIterable {
        case session, system
    }

    /// Where the objects of a service are found.
    package enum Objects: Sendable, Hashable {
        case path(String)
        /// One object at a path that the service does not use in signals; the signals of objects below another path count.
        case alias(String, of: String)
        /// Below a path, as a method lists them; each signal of its object changes the list.
        case listed(by: Method, below: String)
        /// The settings portal's object at a path, whose namespaces count as interfaces.
        case settings(at: String)
    }

    package struct Method: Sendable, Hashable {
        var path: String
        var interface: String
        var member: String
    }

    package struct Property: Sendable, Hashable {
        package var interface: String
        package var name: String
    }

    package enum Kind: String, Sendable, CaseIterable {
        case text, number, boolean, list, object
    }

    /// A member of the published value.
    package struct Member: Sendable, Hashable {
        package var name: String
        package var property: Property
        /// The expected kind, without which the value is `null`; `nil` for any.
        package var kind: Kind?
        /// The words for numbers; a number without one is published as it is.
        package var words: [Int64: String] = [:]
    }

    /// The key of the configuration, for messages.
    package var key: String
    package var bus: Bus
    package var service: ServiceName
    package var objects: Objects
    /// The interface without which an object does not count.
    package var interface: String
    package var members: [Member]
    /// The values of properties without which an object does not count.
    package var conditions: [Property: Bool] = [:]
    package var name: NameTemplate
    /// The method without whose call a service sends no signals to a connection.
    var subscription: Method?

    /// The path of the only object; `nil` for those of a list.
    var path: String? {
        switch objects {
        case .path(let path), .alias(let path, _), .settings(let path): path
        case .listed: nil
        }
    }
    /// The properties that are read, and no others.
    var properties: Set<Property> { Set(members.map(\.property)).union(conditions.keys) }
    /// The interfaces of the properties, the required one first.
    var interfaces: [String] {
        [interface] + Set(properties.map(\.interface)).subtracting([interface]).sorted()
    }
}
