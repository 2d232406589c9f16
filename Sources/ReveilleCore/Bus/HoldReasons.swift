// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Why nothing is delivered to a subscription; in the foreground the set is empty.
///
/// Setting a reason that is set, or clearing one that is not, changes nothing.
public struct HoldReasons: OptionSet, Sendable, Hashable {
    /// One bit a reason.
    public let rawValue: UInt8

    /// Makes a set of its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The subscriber's own process said so.
    public static let app = HoldReasons(rawValue: 1)
    /// Another process said so.
    public static let `operator` = HoldReasons(rawValue: 2)
    /// The cgroup of the subscriber's process is frozen.
    public static let frozen = HoldReasons(rawValue: 4)
    /// The subscriber has not read its last event.
    public static let unread = HoldReasons(rawValue: 8)

    /// The reasons that make a background: policies act on them.
    ///
    /// Under ``unread`` alone every policy coalesces, so that a slow reader never loses the last state.
    package static let background: HoldReasons = [.app, .operator, .frozen]

    private static let words: [(reason: HoldReasons, word: String)] = [
        (.app, "app"), (.operator, "operator"), (.frozen, "frozen"), (.unread, "unread"),
    ]

    /// The reasons by the words of the wire.
    public var names: [String] {
        Self.words.filter { contains($0.reason) }.map(\.word)
    }

    /// Reads the words of the wire; those that are not known are passed over.
    package init(names: [String]) {
        self = Self.words.filter { names.contains($0.word) }.reduce(into: []) { $0.formUnion($1.reason) }
    }
}
