// SPDX-License-Identifier: Apache-2.0

/// An error that occurs when a value is converted to or from ``JSON``.
public struct JSONCodingError: Error, Sendable, Hashable {
    /// The path of the value that caused the error, such as `volume.levels[3]`, or an empty string for the whole value.
    ///
    /// A name that contains anything but ASCII letters, digits, `_` and `-` is written as `["a name"]`.
    public let path: String
    /// A description of the error.
    public let reason: String

    /// Creates an error.
    public init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }
}

extension JSONCodingError: CustomStringConvertible {
    /// The path and the reason, on one line.
    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

extension JSONCodingError {
    init(at path: [any CodingKey], _ reason: String) {
        self.init(path: Self.text(path), reason: reason)
    }

    /// Creates the error for an error that the code of the value at a path threw.
    init(_ error: any Error, at path: [any CodingKey]) {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            self.init(at: context.codingPath + [key], context.debugDescription)
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            self.init(at: context.codingPath, context.debugDescription)
        case EncodingError.invalidValue(_, let context):
            self.init(at: context.codingPath, context.debugDescription)
        default:
            self.init(at: path, "\(error)")
        }
    }

    private static func text(_ path: [any CodingKey]) -> String {
        var text = ""
        for key in path {
            if let index = (key as? JSONKey)?.intValue {
                text += "[\(index)]"
            } else if isPlain(key.stringValue) {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            } else {
                text += "[\(JSON.string(key.stringValue))]"
            }
        }
        return text
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
