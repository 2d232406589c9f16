// SPDX-License-Identifier: Apache-2.0

/// A state to which programs subscribe by name: an aspect of the device, or a name that a program publishes.
///
/// ```swift
/// let aspects: [Aspect] = [.battery, "org.example.volume", "org.example.player.*"]
/// ```
///
/// A published name consists of at least two words of letters, digits, `-` and `_`, joined by dots. A pattern ends in
/// `.*` and stands for every name below it; events never have a pattern as their aspect.
public struct Aspect: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
        case builtIn(BuiltInAspect)
        /// A published name, or a pattern with its `.*`.
        case published(String)
    }

    private let kind: Kind

    package init(_ aspect: BuiltInAspect) {
        kind = .builtIn(aspect)
    }

    private init(unchecked name: String) {
        // Comparing strings takes longer than finding the dot of a published name.
        let builtIn = name.utf8.contains(UInt8(ascii: ".")) ? nil : BuiltInAspect(rawValue: name)
        kind = builtIn.map { .builtIn($0) } ?? .published(name)
    }

    /// Creates the aspect or pattern with a name; `nil` for an invalid name.
    public init?(_ name: String) {
        self.init(unchecked: name)
        if builtIn != nil { return }
        guard name.utf8.count <= NameRule.lengthLimit else { return nil }
        let bytes = name.utf8.span
        guard NameRule.isValid(isPattern ? bytes.extracting(droppingLast: 1) : bytes, isPrefix: isPattern) else {
            return nil
        }
    }

    /// The aspects of the device, in the order of their introduction.
    public static let device = BuiltInAspect.ofDevice.map { Aspect($0) }

    /// The name on the wire and on the command line.
    public var name: String {
        switch kind {
        case .builtIn(let aspect): aspect.rawValue
        case .published(let name): name
        }
    }

    /// Whether this stands for all published names below a prefix.
    public var isPattern: Bool {
        guard case .published(let name) = kind else { return false }
        let bytes = name.utf8.span
        let end = bytes.count
        return end >= 2 && bytes[end - 2] == UInt8(ascii: ".") && bytes[end - 1] == UInt8(ascii: "*")
    }

    /// Whether a program publishes the aspect, or can.
    public var isPublished: Bool { builtIn == nil && !isPattern }

    /// Returns whether this is a pattern and the aspect is one of its names.
    public func matches(_ aspect: Aspect) -> Bool {
        aspect.isPublished && isPattern && spans(aspect)
    }

    /// Returns whether the other is this, or stands only for names of this pattern.
    package func spans(_ other: Aspect) -> Bool {
        guard isPattern, case .published(let pattern) = kind, case .published(let name) = other.kind else {
            return self == other
        }
        let (bytes, others) = (pattern.utf8.span, name.utf8.span)
        let end = bytes.count - 1
        guard others.count > end else { return false }
        // Most names differ in their last words.
        for index in (0..<end).reversed() where bytes[index] != others[index] { return false }
        return true
    }

    /// The aspect that the bus itself provides; `nil` for a published name and a pattern.
    package var builtIn: BuiltInAspect? {
        if case .builtIn(let aspect) = kind { aspect } else { nil }
    }

    /// The start of a pattern's names, which ends in a dot; `nil` for other aspects.
    package var pattern: Substring? {
        guard isPattern, case .published(let name) = kind else { return nil }
        return name.dropLast()
    }
}

extension Aspect: ExpressibleByStringLiteral {
    /// Creates the aspect or pattern with a name; an invalid name is refused when it is used.
    public init(stringLiteral name: String) {
        self.init(unchecked: name)
    }
}

extension Aspect: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

extension Aspect: Comparable {
    /// Orders the aspects of the device before published names, and published names by their bytes.
    public static func < (one: Aspect, other: Aspect) -> Bool {
        switch (one.kind, other.kind) {
        case (.builtIn(let one), .builtIn(let other)): one.index < other.index
        case (.builtIn, .published): true
        case (.published, .builtIn): false
        case (.published(let one), .published(let other)): one < other
        }
    }
}

extension Aspect: Codable {
    /// Decodes an aspect from its name; an invalid name is refused when it is used.
    ///
    /// - Throws: `DecodingError` if the value is not a text.
    public init(from decoder: any Decoder) throws {
        self.init(unchecked: try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the aspect as its name.
    ///
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

/// The syntax of a published name.
package enum NameRule {
    /// The longest name in bytes, as for names on D-Bus.
    package static let lengthLimit = 255

    /// Whether a text is a published name or, with `isPrefix`, the start of a name up to and including a dot.
    static func isValid(_ text: Span<UInt8>, isPrefix: Bool) -> Bool {
        var dots = 0
        var wordLength = 0
        for index in text.indices {
            if text[index] == UInt8(ascii: ".") {
                guard wordLength > 0 else { return false }
                dots += 1
                wordLength = 0
            } else {
                guard isAllowed(text[index]) else { return false }
                wordLength += 1
            }
        }
        return dots > 0 && (wordLength == 0) == isPrefix
    }

    /// Whether a byte is a letter, a digit, `-` or `_`.
    package static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
