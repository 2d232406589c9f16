// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Why bytes are not a JSON text, and where.
public struct JSONError: Error, Sendable, Hashable {
    /// What is wrong with a text.
    public enum Reason: Sendable, Hashable {
        /// The text ends inside a value.
        case unexpectedEnd
        /// A byte that cannot stand where it stands.
        case unexpectedByte(UInt8)
        /// Bytes of a string that are not UTF-8.
        case invalidUTF8
        /// Half of a surrogate pair without the other half.
        case loneSurrogate
        /// More combining marks in a row than the reader allows.
        case tooManyMarks(maximum: Int)
        /// A number beyond the range of `Double`.
        case numberTooLarge
        /// More arrays and objects inside one another than the reader allows.
        case tooDeep(maximum: Int)
    }

    /// How many bytes come before the place.
    public let offset: Int
    /// What is wrong there.
    public let reason: Reason

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - offset: How many bytes come before the place.
    ///   - reason: What is wrong there.
    public init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }
}

extension JSONError: CustomStringConvertible {
    /// What is wrong and where, on one line.
    public var description: String {
        "\(reason) at byte \(offset)"
    }
}

extension JSONError.Reason: CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .unexpectedEnd: "unexpected end"
        case .unexpectedByte(let byte) where (0x21...0x7E).contains(byte): "unexpected '\(Unicode.Scalar(byte))'"
        case .unexpectedByte(let byte): "unexpected byte 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
        case .invalidUTF8: "invalid UTF-8"
        case .loneSurrogate: "half of a surrogate pair"
        case .tooManyMarks(let maximum): "more than \(maximum) combining marks in a row"
        case .numberTooLarge: "number too large"
        case .tooDeep(let maximum): "more than \(maximum) levels"
        }
    }
}
