// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
package import Varlink

/// A reply to a ``BusCall``: a service encodes it, a client decodes it.
package protocol BusReply: Sendable, Hashable {
    /// Decodes a reply of a bus that may be newer than this program; unknown fields are ignored.
    ///
    /// So are elements of an unknown aspect. In a reading, an unknown word reads as `unknown`.
    init(_ parameters: JSONObject, noting unknownWords: UnknownWords) throws(CallError)
    var parameters: JSONObject { get }
    /// Returns the bytes of the reply, including the NUL.
    func encoded() -> [UInt8]
}

extension BusReply {
    package func encoded() -> [UInt8] { Reply(parameters: parameters).encoded() }
}

/// An element of a reply's list.
package protocol ReplyElement: Sendable, Hashable {
    static var list: FieldName { get }
    /// Decodes an element; `nil` for an unknown aspect.
    init?(_ fields: inout Fields) throws(CallError)
    var structure: JSON { get }
}

/// The list that is the only field of its reply: the events after the first reply to ``BusCall/subscribe(_:)``, the
/// subscriptions, or the sources.
extension Array: BusReply where Element: ReplyElement {
    package init(_ parameters: JSONObject, noting unknownWords: UnknownWords) throws(CallError) {
        var fields = Fields(parameters)
        self = try fields.structures(Element.list, noting: unknownWords) { element throws(CallError) in
            try Element(&element)
        }.compactMap(\.self)
    }

    package var parameters: JSONObject { ["\(Element.list)": .array(map(\.structure))] }
}

/// The first reply to ``BusCall/subscribe(_:)``.
package struct SubscribeReply: BusReply {
    package var subscription: String
    /// The instance of the bus that the generations belong to.
    package var instance: String
    /// Whether the bus knew the positions in the request; `nil` without positions.
    package var resumed: Bool?
    package var events: [Event]

    package init(subscription: String, instance: String, resumed: Bool?, events: [Event]) {
        self.subscription = subscription
        self.instance = instance
        self.resumed = resumed
        self.events = events
    }

    package init(_ parameters: JSONObject, noting unknownWords: UnknownWords) throws(CallError) {
        var fields = Fields(parameters)
        subscription = try fields.string("subscription")
        instance = try fields.string("instance")
        resumed = try fields.optionalBool("resumed")
        events = try [Event](parameters, noting: unknownWords)
    }

    /// The parameters before the events.
    package var head: JSONObject {
        var head: JSONObject = ["subscription": .string(subscription), "instance": .string(instance)]
        if let resumed { head["resumed"] = .bool(resumed) }
        return head
    }

    package var parameters: JSONObject { JSONObject(members: head.members + events.parameters.members) }
}

/// The reply to ``BusCall/getState(_:)`` and ``BusCall/getHistory(_:limit:)``.
package struct EventsReply: BusReply {
    package var instance: String
    /// The states, as events whose `Event.changeCount` are 0, or the changes.
    package var events: [Event]

    package init(instance: String, events: [Event]) {
        self.instance = instance
        self.events = events
    }

    package init(_ parameters: JSONObject, noting unknownWords: UnknownWords) throws(CallError) {
        var fields = Fields(parameters)
        instance = try fields.string("instance")
        events = try [Event](parameters, noting: unknownWords)
    }

    package var parameters: JSONObject { ["instance": .string(instance), "events": .array(events.map(\.structure))] }
}

/// The reply to ``BusCall/post(_:)`` and ``BusCall/publish(_:whileConnected:)``.
extension Revision: BusReply, WireStructure {
    package init(_ parameters: JSONObject, noting _: UnknownWords) throws(CallError) {
        var fields = Fields(parameters)
        self.init(generation: try fields.count(.generation), sequence: try fields.count(.sequence))
    }

    @usableFromInline package func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.generation, generation)
        fields.add(.sequence, sequence)
    }

    package var parameters: JSONObject { object }

    package func encoded() -> [UInt8] {
        Reply.encode(continues: false) { $0.append(self) }
    }
}

/// The reply to ``BusCall/setState(subscription:to:wakeAfter:)`` and ``BusCall/refresh``: it has no fields.
package struct EmptyReply: BusReply {
    package init() {}

    package init(_: JSONObject, noting _: UnknownWords) throws(CallError) {}

    package var parameters: JSONObject { [:] }

    package func encoded() -> [UInt8] { Self.bytes }

    private static let bytes = Reply().encoded()
}

/// Collects the words of a newer peer that this version does not know, while its structures are decoded.
package final class UnknownWords {
    /// The length limit of a word: enough to recognize it.
    private static let shownLength = 64

    /// The first unknown word and its field: `events.battery.state "swapping"`.
    package private(set) var first: String?

    package init() {}

    /// Notes a word, whose field is found for the first one only: each search passes what precedes it in the message.
    func note(_ word: String, in field: @autoclosure () -> String) {
        guard first == nil else { return }
        let shown = String(String.UnicodeScalarView(word.unicodeScalars.prefix(Self.shownLength)))
        first = field() + " " + shown.debugDescription
    }
}
