// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// An event of a stream for `EventSource` (HTML, "Server-sent events").
package enum ServerSentEvent {
    /// The time in milliseconds after which a browser reconnects: a restarted program is back by then.
    private static let retry = 1_000

    package static let greeting = Array("retry: \(retry)\n\n".utf8)

    /// Returns the bytes of an event; without a position, the event does not change the position of the page.
    ///
    /// `Varlink` writes JSON without line breaks, which would end the data.
    package static func encode(_ name: String, _ data: JSONObject, at position: String? = nil) -> [UInt8] {
        var bytes: [UInt8] = []
        if let position { bytes += Array("id: \(position)\n".utf8) }
        bytes += Array("event: \(name)\ndata: ".utf8)
        data.write(into: &bytes)
        bytes += Array("\n\n".utf8)
        return bytes
    }
}

/// A page's position on a bus as one text: the instance, and the generation of the last event of each aspect.
///
/// The text is the `id` of a Server-Sent Event, such as `0a1b~battery:12~org.example.volume:3`. Browsers send it back when
/// they reconnect, and the page keeps it while it is hidden.
extension Positions {
    /// The longest text in bytes, about 100 names: a request must have room for two of them.
    package static let textLimit = 3 << 10
    private static let instanceLimit = 64

    /// Parses a text; `nil` if it is not a position.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.textLimit else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "~"), omittingEmptySubsequences: false)
        guard (1...Self.instanceLimit).contains(parts[0].count), parts[0].allSatisfy(NameRule.isAllowed) else {
            return nil
        }
        var generations: [Aspect: Int] = [:]
        for part in parts.dropFirst() {
            guard let colon = part.lastIndex(of: UInt8(ascii: ":")),
                let aspect = Aspect(String(Substring(part[..<colon]))), !aspect.isPattern
            else { return nil }
            let digits = part[part.index(after: colon)...]
            // Neither a sign nor leading zeros: one position has one text.
            guard digits.allSatisfy(\.isDigit), digits.count == 1 || digits.first != UInt8(ascii: "0"),
                let generation = Int(Substring(digits)),
                generations.updateValue(generation, forKey: aspect) == nil
            else { return nil }
        }
        self.init(instance: String(Substring(parts[0])), generations: generations)
    }

    /// Names that do not fit are left out, published names first; after a resumption, their states are events again.
    package var text: String {
        var text = instance
        for (aspect, generation) in generations.sorted(by: { $0.key < $1.key }) {
            let part = "~\(aspect):\(generation)"
            guard text.utf8.count + part.utf8.count <= Self.textLimit else { break }
            text += part
        }
        return text
    }
}
