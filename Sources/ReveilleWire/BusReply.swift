// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// A reply to a call of a ``BusMethod``: a service encodes it, a client decodes it.
package protocol BusReply: Sendable, Hashable {
    /// Decodes a reply of a bus that may be newer than this program; unknown fields are ignored.
    ///
    /// So are elements of an unknown aspect, and events without their state. In a reading, an unknown word reads as
    /// `unknown`.
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
    /// Decodes an element; `nil` for an unknown aspect, and for a state of an unknown kind.
    init?(_ fields: inout Fields) throws(CallError)
    var structure: JSON { get }
}

/// The list that is the only field of its reply, such as the events after the first reply to ``Subscribe``.
extension Array: BusReply where Element: ReplyElement {
    package init(_ parameters: JSONObject, noting unknownWords: UnknownWords) throws(CallError) {
        var fields = Fields(parameters)
        self = try fields.structures(Element.list, noting: unknownWords) { element throws(CallError) in
            try Element(&element)
        }.compactMap(\.self)
    }

    package var parameters: JSONObject { ["\(Element.list)": .array(map(\.structure))] }
}

/// The reply to ``SetState`` and ``Refresh``: it has no fields.
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

    /// Notes a word, or a null in the place of a value.
    ///
    /// The field is found for the first one only: each search passes everything that precedes it in the message.
    func note(_ word: String?, in field: @autoclosure () -> String) {
        guard first == nil else { return }
        let shown = word.map { String(String.UnicodeScalarView($0.unicodeScalars.prefix(Self.shownLength))) }
        first = field() + " " + (shown?.debugDescription ?? "null")
    }
}
