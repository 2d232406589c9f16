// SPDX-License-Identifier: Apache-2.0

/// The state of a subscription itself, and so of the program behind it.
@nonexhaustive public enum Lifecycle: String, Sendable, CaseIterable, Codable, CustomStringConvertible {
    /// The program is in the foreground.
    case active
    /// The program is in the foreground, but something else receives the user's input.
    case inactive
    /// The program is in the background, and runs.
    case background
    /// The program is in the background, and its processes are frozen or about to be.
    case suspended
    /// The program is about to receive SIGTERM.
    case terminating
    /// A state that a later version of the bus has added.
    case unknown

    /// Decodes a word; a word that a later version adds is ``unknown``.
    ///
    /// - Throws: `DecodingError` if the value is not a text.
    public init(from decoder: any Decoder) throws {
        self = Lifecycle(rawValue: try String(from: decoder)) ?? .unknown
    }

    /// The name on the wire.
    public var description: String { rawValue }
}

extension Lifecycle: AspectDeclaration {
    package static var traits: AspectTraits { AspectTraits(sampling: .never, isPostable: false, place: 13) }
    @usableFromInline package static var blank: Lifecycle { .active }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.word("state", &self, else: .unknown)
    }
}

extension Lifecycle: WordSet {
    @usableFromInline package static let words: [Lifecycle] = [
        .active, .inactive, .background, .suspended, .terminating,
    ]
}
