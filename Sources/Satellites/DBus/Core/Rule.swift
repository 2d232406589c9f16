// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// Objects on a message bus, and the name under which the state of each is published.
package struct Rule: Sendable, Hashable {
    package enum Bus: String, Sendable, CaseIterable {
        case session, system
    }

    /// Where the objects of a service are found.
    package enum Objects: Sendable, Hashable {
        /// At these paths. Each has the text that stands for it in a name, if the path itself does not.
        case paths([String: String?])
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
    package var conditions: [Property: JSON] = [:]
    package var name: NameTemplate
    /// The object with the methods `Subscribe` and `Unsubscribe`, without which a service sends no signals.
    var subscription: Method?

    /// The properties that are read, and no others.
    var properties: Set<Property> { Set(members.map(\.property)).union(conditions.keys) }
    /// The interfaces of the properties, the required one first.
    var interfaces: [String] {
        [interface] + Set(properties.map(\.interface)).subtracting([interface]).sorted()
    }
}
