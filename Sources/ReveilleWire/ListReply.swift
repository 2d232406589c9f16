// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// A reply with a list, which is written in pieces while its peer reads.
///
/// The text of an element is created when its piece is written. So a reply takes the memory of one piece, however long
/// the list is and however slowly the peer reads.
package final class ListReply {
    /// The size limit of a piece in bytes: the socket has room for several pieces, and each of a user's connections may
    /// leave one unsent.
    package static let pieceSize = 32_768

    private static let between = UInt8(ascii: ",")

    private var start: [UInt8]
    private let end: [UInt8]
    private let text: () -> [UInt8]?
    private var isFirst = true
    /// An element that is a piece of its own, since many replies may share its bytes.
    private var long: [UInt8]?

    /// Creates a reply from the parameters before the list, and the JSON texts of its elements; `nil` ends the list.
    package init<Element: ReplyElement>(
        of type: Element.Type, after head: JSONObject = [:], continues: Bool = false, text: @escaping () -> [UInt8]?
    ) {
        let head = JSON.object(head).bytes.dropLast()
        start = Array(#"{"parameters":"#.utf8) + head
        if head.count > 1 { start.append(Self.between) }
        start += "\"\(type.list)\":[".utf8
        end = Array((continues ? "]},\"continues\":true}\0" : "]}}\0").utf8)
        self.text = text
    }

    /// Creates a reply with the items that have a text when their piece is written.
    package convenience init<Items: Sequence>(
        of type: (some ReplyElement).Type, after head: JSONObject = [:], continues: Bool = false, each items: Items,
        text: @escaping (Items.Element) -> [UInt8]?
    ) {
        var texts = items.lazy.compactMap(text).makeIterator()
        self.init(of: type, after: head, continues: continues) { texts.next() }
    }

    package func next() -> (piece: [UInt8], isLast: Bool) {
        if let long {
            self.long = nil
            return (long, false)
        }
        var piece: [UInt8] = []
        swap(&piece, &start)
        while piece.count < Self.pieceSize {
            guard let element = text() else { return (piece + end, true) }
            if !isFirst { piece.append(Self.between) }
            isFirst = false
            if element.count >= Self.pieceSize {
                long = element
                break
            }
            piece += element
        }
        return (piece, false)
    }
}
