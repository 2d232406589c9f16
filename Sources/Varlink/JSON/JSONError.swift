// SPDX-License-Identifier: Apache-2.0

/// An error in a JSON text.
public struct JSONError: Error, Sendable, Hashable {
    /// The kind of an error.
    @nonexhaustive public enum Reason: Sendable, Hashable {
        /// The text ends inside a value.
        case unexpectedEnd
        /// A byte is not allowed at its position.
        case unexpectedByte(UInt8)
        /// A string is not valid UTF-8.
        case invalidUTF8
        /// One half of a surrogate pair appears without the other.
        case loneSurrogate
        /// A string has too many combining marks in a row.
        case tooManyMarks(maximum: Int)
        /// A number exceeds the range of `Double`.
        case numberTooLarge
        /// Arrays and objects are nested too deeply.
        case tooDeep(maximum: Int)
    }

    /// The offset of the error in bytes.
    public let offset: Int
    /// The kind of the error.
    public let reason: Reason

    /// Creates an error.
    public init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }
}

extension JSONError: CustomStringConvertible {
    /// The reason and the offset, on one line.
    public var description: String { "\(reason) at byte \(offset)" }
}

extension JSONError.Reason: CustomStringConvertible {
    /// A description of the error.
    public var description: String {
        switch self {
        case .unexpectedEnd: "unexpected end"
        case .unexpectedByte(let byte) where (0x21...0x7E).contains(byte): "unexpected '\(Unicode.Scalar(byte))'"
        case .unexpectedByte(let byte): "unexpected byte 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
        case .invalidUTF8: "invalid UTF-8"
        case .loneSurrogate: "incomplete surrogate pair"
        case .tooManyMarks(let maximum): "more than \(maximum) combining marks in a row"
        case .numberTooLarge: "number too large"
        case .tooDeep(let maximum): "nested deeper than \(maximum) levels"
        }
    }
}
