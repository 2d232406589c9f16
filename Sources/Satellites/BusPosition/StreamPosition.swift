// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a page has seen of a bus, as one text: the instance, and the generation of the last event of each aspect.
///
/// The text is the `id` of a Server-Sent Event, such as `0a1b~battery:12~org.example.volume:3`. Browsers send it back when
/// they reconnect, and the page keeps it while it is hidden.
package struct StreamPosition: Sendable, Hashable {
    /// The longest text in bytes, about 100 names.
    ///
    /// A request must have room for it twice.
    package static let sizeLimit = 3 << 10
    /// The longest name of an aspect, as for names on the bus.
    private static let nameLimit = 255
    /// The longest name of an instance.
    private static let instanceLimit = 64

    /// The instance of the bus; empty before its first reply.
    package var instance: String
    /// The generation of the last event of each aspect.
    package var generations: [String: Int64]

    /// Creates a position.
    package init(instance: String = "", generations: [String: Int64] = [:]) {
        self.instance = instance
        self.generations = generations
    }

    /// Parses a position; `nil` for any text that is not one.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.sizeLimit else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "~"), omittingEmptySubsequences: false)
        instance = String(Substring(parts[0]))
        generations = [:]
        guard Self.isInstance(parts[0]) else { return nil }
        for part in parts.dropFirst() {
            guard let colon = part.lastIndex(of: UInt8(ascii: ":")) else { return nil }
            let name = String(Substring(part[..<colon]))
            let digits = part[part.index(after: colon)...]
            // Neither a sign nor leading zeros: one position has one text.
            guard Self.isName(name), digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                digits.count == 1 || digits.first != UInt8(ascii: "0"),
                let generation = Int64(Substring(digits)),
                generations.updateValue(generation, forKey: name) == nil
            else { return nil }
        }
    }

    /// The text.
    ///
    /// Names that do not fit are left out, those of programs first; their states are events again after a
    /// resumption.
    package var text: String {
        var text = instance
        for (name, generation) in generations.sorted(by: { Self.precedes($0.key, $1.key) }) {
            let part = "~\(name):\(generation)"
            guard text.utf8.count + part.utf8.count <= Self.sizeLimit else { break }
            text += part
        }
        return text
    }

    /// Orders the aspects of the device, whose names have no dot, before those of programs.
    private static func precedes(_ one: String, _ other: String) -> Bool {
        let (isName, isOtherName) = (one.utf8.contains(UInt8(ascii: ".")), other.utf8.contains(UInt8(ascii: ".")))
        return isName == isOtherName ? one.utf8.lexicographicallyPrecedes(other.utf8) : isOtherName
    }

    /// Returns whether a text can be the name of an aspect.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= nameLimit && text.utf8.allSatisfy { isWord($0) || $0 == UInt8(ascii: ".") }
    }

    private static func isInstance(_ text: Substring.UTF8View) -> Bool {
        !text.isEmpty && text.count <= instanceLimit && text.allSatisfy(isWord)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
