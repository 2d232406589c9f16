// SPDX-License-Identifier: Apache-2.0

/// A scanner of an XML document's tags and texts in order.
struct XMLScanner {
    /// A tag; comments and processing instructions are skipped.
    enum Tag: Equatable {
        case start(String, isEmpty: Bool)
        case end(String)
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var invalid: FormatError {
        FormatError("not a valid property list", line: bytes.line(at: position))
    }

    /// Reads the next tag after white space, comments and instructions and, in a prolog, a document type.
    mutating func tag(isProlog: Bool = false) throws(FormatError) -> Tag {
        try skipRemarks()
        if isProlog, skip("<!DOCTYPE") {
            try skip(through: ">")
            try skipRemarks()
        }
        guard skip("<") else { throw invalid }
        let isEnd = skip("/")
        let name = word()
        let attributes = position
        try skip(through: ">")
        // Attributes have no meaning in a property list.
        let isEmpty = position - 2 >= attributes && bytes[position - 2] == UInt8(ascii: "/")
        let isName = !name.isEmpty && (bytes[attributes].isSpace || ">/".utf8.contains(bytes[attributes]))
        guard isName, !isEnd || !isEmpty else { throw invalid }
        return isEnd ? .end(name) : .start(name, isEmpty: isEmpty)
    }

    /// Returns whether only white space, comments and instructions remain.
    mutating func isAtEnd() throws(FormatError) -> Bool {
        try skipRemarks()
        return position == bytes.count
    }

    private mutating func skipRemarks() throws(FormatError) {
        repeat {
            while position < bytes.count, bytes[position].isSpace { position += 1 }
        } while try skipRemark()
    }

    mutating func end(of name: String) throws(FormatError) {
        guard try tag() == .end(name) else { throw invalid }
    }

    /// Reads the text of an element that contains no others, and its end.
    mutating func text(endingWith name: String) throws(FormatError) -> [UInt8] {
        var text: [UInt8] = []
        while true {
            let start = position
            while position < bytes.count, bytes[position] != UInt8(ascii: "<"), bytes[position] != UInt8(ascii: "&") {
                position += 1
            }
            text += bytes[start..<position]
            if skip("&") {
                try entity(into: &text)
            } else if skip("<![CDATA[") {
                let start = position
                try skip(through: "]]>")
                text += bytes[start..<position - 3]
            } else if try !skipRemark() {
                try end(of: name)
                return text
            }
        }
    }

    private static let entities: [(StaticString, UInt8)] = [
        ("lt;", UInt8(ascii: "<")), ("gt;", UInt8(ascii: ">")), ("amp;", UInt8(ascii: "&")),
        ("quot;", UInt8(ascii: "\"")), ("apos;", UInt8(ascii: "'")),
    ]

    private mutating func entity(into text: inout [UInt8]) throws(FormatError) {
        if skip("#") {
            let isHexadecimal = skip("x")
            guard let number = number(radix: isHexadecimal ? 16 : 10), skip(";"), let scalar = Unicode.Scalar(number)
            else { throw invalid }
            text += String(scalar).utf8
            return
        }
        for (name, byte) in Self.entities where skip(name) {
            text.append(byte)
            return
        }
        throw invalid
    }

    private mutating func number(radix: UInt8) -> UInt32? {
        let start = position
        var number: UInt32 = 0
        // The number of a character has at most seven digits.
        while position < min(bytes.count, start + 7), let digit = bytes[position].hexadecimalValue, digit < radix {
            number = number * UInt32(radix) + UInt32(digit)
            position += 1
        }
        return position > start ? number : nil
    }

    /// Skips a comment or an instruction, and returns whether there was one.
    private mutating func skipRemark() throws(FormatError) -> Bool {
        if skip("<!--") {
            try skip(through: "-->")
        } else if skip("<?") {
            try skip(through: "?>")
        } else {
            return false
        }
        return true
    }

    private mutating func word() -> String {
        let start = position
        while position < bytes.count, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[position]) {
            position += 1
        }
        return bytes[start..<position].text
    }

    private mutating func skip(_ expected: StaticString) -> Bool {
        guard bytes[position...].starts(with: expected.description.utf8) else { return false }
        position += expected.utf8CodeUnitCount
        return true
    }

    /// Skips everything up to and including a delimiter.
    private mutating func skip(through end: StaticString) throws(FormatError) {
        let first = end.description.utf8.first
        while position < bytes.count {
            if bytes[position] == first, skip(end) { return }
            position += 1
        }
        throw invalid
    }
}
