// SPDX-License-Identifier: Apache-2.0

/// The reasons why nothing is delivered to a subscription; empty in the foreground.
public struct HoldReasons: OptionSet, Sendable, Hashable, CustomStringConvertible {
    /// One bit for each reason.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The subscriber's own process entered the background.
    public static let app = HoldReasons(rawValue: 1)
    /// Another process put the subscription in the background.
    public static let `operator` = HoldReasons(rawValue: 2)
    /// The cgroup of the subscriber's process is frozen.
    public static let frozen = HoldReasons(rawValue: 4)
    /// The subscriber has not read its last reply.
    public static let unread = HoldReasons(rawValue: 8)
    /// A reason that a later version of the bus has added.
    public static let unknown = HoldReasons(rawValue: 128)

    /// The reasons that put a subscription in the background, where policies apply.
    ///
    /// With ``unread`` alone every policy coalesces, so a slow reader never misses the last state.
    package static let background: HoldReasons = [.app, .operator, .frozen]
    /// The reasons that callers of SetState set.
    package static let requested: HoldReasons = [.app, .operator]

    private static let words: [(reason: HoldReasons, word: String)] = [
        (.app, "app"), (.operator, "operator"), (.frozen, "frozen"), (.unread, "unread"), (.unknown, "unknown"),
    ]

    /// The names of the reasons: `app, unread`.
    public var description: String { names.joined(separator: ", ") }

    /// The names of the reasons on the wire.
    package var names: [String] {
        Self.words.filter { contains($0.reason) }.map(\.word)
    }

    /// Creates a set from names on the wire.
    package init(names: [String]) {
        self = names.reduce(into: []) { reasons, name in
            reasons.formUnion(Self.words.first { $0.word == name }?.reason ?? .unknown)
        }
    }
}
