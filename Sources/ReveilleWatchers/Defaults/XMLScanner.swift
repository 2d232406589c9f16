// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The tags and texts of an XML document, one after the other.
struct XMLScanner {
    /// A tag; comments and instructions are none.
    enum Tag: Equatable {
        case start(String, isEmpty: Bool)
        case end(String)
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The error for what stands where the scanner is.
    var invalid: FileProblem {
        let line = 1 + bytes.prefix(position).count { $0 == UInt8(ascii: "\n") }
        return FileProblem(reason: "not a valid property list: line \(line)")
    }

    /// The next tag, with nothing but white space, comments and instructions before it; of a prolog, also a
    /// document type.
    mutating func tag(isProlog: Bool = false) throws(FileProblem) -> Tag {
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
        // Attributes say nothing in a property list.
        let isEmpty = position - 2 >= attributes && bytes[position - 2] == UInt8(ascii: "/")
        let isName = !name.isEmpty && [UInt8(ascii: ">"), UInt8(ascii: "/"), 0x20, 0x0A].contains(bytes[attributes])
        guard isName, !isEnd || !isEmpty else { throw invalid }
        return isEnd ? .end(name) : .start(name, isEmpty: isEmpty)
    }

    /// Says whether nothing but white space, comments and instructions is left.
    mutating func isAtEnd() throws(FileProblem) -> Bool {
        try skipRemarks()
        return position == bytes.count
    }

    private mutating func skipRemarks() throws(FileProblem) {
        repeat {
            while position < bytes.count, SettingsJSON.isSpace(bytes[position]) { position += 1 }
        } while try skipRemark()
    }

    /// Passes over the end of an element.
    mutating func end(of name: String) throws(FileProblem) {
        guard try tag() == .end(name) else { throw invalid }
    }

    /// The text up to the end of the element that it is in, which has no others in it.
    mutating func text(endingWith name: String) throws(FileProblem) -> String {
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
                return String(decoding: text, as: UTF8.self)
            }
        }
    }

    private static let entities: [(StaticString, UInt8)] = [
        ("lt;", UInt8(ascii: "<")), ("gt;", UInt8(ascii: ">")), ("amp;", UInt8(ascii: "&")),
        ("quot;", UInt8(ascii: "\"")), ("apos;", UInt8(ascii: "'")),
    ]

    private mutating func entity(into text: inout [UInt8]) throws(FileProblem) {
        if skip("#") {
            let isHexadecimal = skip("x")
            guard let number = number(radix: isHexadecimal ? 16 : 10), skip(";"), let scalar = Unicode.Scalar(number)
            else { throw invalid }
            UTF8.encode(scalar).map { text.append(contentsOf: $0) }
            return
        }
        for (name, byte) in Self.entities where skip(name) {
            text.append(byte)
            return
        }
        throw invalid
    }

    private mutating func number(radix: UInt32) -> UInt32? {
        let start = position
        var number: UInt32 = 0
        // The longest number of a scalar has seven digits.
        while position < bytes.count, position < start + 7,
            let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue, digit < radix
        {
            number = number * radix + UInt32(digit)
            position += 1
        }
        return position > start ? number : nil
    }

    /// Passes over a comment or an instruction, and says whether there was one.
    private mutating func skipRemark() throws(FileProblem) -> Bool {
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
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func skip(_ expected: StaticString) -> Bool {
        let count = expected.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        for (offset, byte) in expected.description.utf8.enumerated() where bytes[position + offset] != byte {
            return false
        }
        position += count
        return true
    }

    /// Passes over everything up to and with an end.
    private mutating func skip(through end: StaticString) throws(FileProblem) {
        let first = end.description.utf8.first
        while position < bytes.count {
            if bytes[position] == first, skip(end) { return }
            position += 1
        }
        throw invalid
    }
}
