// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

extension Follower {
    package enum Input: Sendable {
        /// Names and patterns of ``DBusConfiguration/demands``, and whether anybody needs them.
        case demands([Aspect: Bool])
        /// The bus of Reveille is gone, with all published values.
        case busLost
        /// The bus has answered the last ``Effect/publish(_:_:)`` of a name.
        case published(String, isRefused: Bool)
        case opened(PropertyRule.Bus)
        /// A message bus is gone, with its match rules and calls, or could not be reached.
        case closed(PropertyRule.Bus)
        /// The values of a reply; `nil` for a failure.
        case reply(Int, [JSON]?, isTimeout: Bool)
        /// A signal that a match rule has found; `nil` for values that cannot be read.
        case signal(Int, path: String, [JSON]?)
        case expired
    }

    package enum Effect: Sendable, Hashable {
        /// Connects to a message bus, and again whenever it is lost, until it is closed.
        case open(PropertyRule.Bus)
        /// Closes a message bus with its match rules and calls.
        case close(PropertyRule.Bus)
        case match(Int, PropertyRule.Bus, String)
        case unmatch(Int)
        /// Calls a method without starting its service.
        case call(Int, Call)
        /// Publishes a value, or withdraws it with `nil`; ``Input/published(_:)`` follows before the next one of the name.
        case publish(String, JSONObject?)
        case warn(String)
    }

    package struct Call: Sendable, Hashable {
        package var bus: PropertyRule.Bus
        package var destination: String
        package var path: String
        package var interface: String
        package var member: String
        /// A text or a list of texts, if there is an argument.
        package var argument: JSON?
    }

    struct ServiceKey: Sendable, Hashable {
        var rule: Int
        /// The well-known name, or the pattern of the rule.
        var name: String
    }

    /// The question of a call: names of services, the owner of one, or the objects of one or their properties.
    enum Question: Sendable, Hashable {
        case names, owner
        case object(path: String, interface: String)
    }

    /// The subject of the signals that a match rule finds.
    enum Listener: Sendable {
        case owners, properties, objects, settings
    }

    /// A rule whose names are needed.
    struct Watch: Sendable {
        /// The match rule for owners of names.
        var owners: Int?
        /// The services with an owner, by their well-known names.
        var services: [String: Service] = [:]
    }

    /// The owner of a well-known name, with its objects.
    ///
    /// The empty path stands for the list of the objects.
    struct Service: Sendable {
        /// The unique name.
        let owner: String
        var matches: [Int] = []
        var objects: [String: Object] = [:]
        /// Objects that have changed since they were published, and that wait for no value.
        var changed: Set<String> = []
        /// Objects that were read, and are published even if they are invalidated meanwhile.
        var fresh: Set<String> = []
        var unread: Set<String> = []
        /// The number of calls without a reply, by the objects that are being read.
        var reading: [String: Int] = [:]
        /// The number of reads of each unknown object or list, including one without a reply.
        var tries: [String: Int] = [:]
        /// When changes are published.
        var due: Instant?
        /// When unknown objects and lists are read again.
        var retry: Instant?
        /// The earliest time of the next publication.
        var quietUntil: Instant = .min
    }

    struct Object: Sendable, Hashable {
        /// The interfaces of the object, as far as the rule needs them.
        var interfaces: Set<String> = []
        var values: [PropertyRule.Property: JSON] = [:]
        /// The properties whose values are too large to be kept.
        var oversized: Set<PropertyRule.Property> = []
        /// Whether the object was read once.
        var isKnown = false
    }
}
