// SPDX-License-Identifier: Apache-2.0

/// The sleep of the machine, in which all programs stand still: suspension and hibernation.
public struct Sleep: Sendable, Hashable, Codable {
    /// Whether the machine is awake or about to sleep.
    @nonexhaustive public enum State: String, Sendable, CaseIterable, Codable {
        /// The machine runs.
        case awake
        /// The machine is about to sleep.
        ///
        /// It waits, for a few seconds at most, until the subscribers to this aspect have read the event and the tasks of
        /// all programs (`withBackgroundTask`) have ended.
        case preparing
        /// A state that a later version of the bus has added; it cannot be posted.
        case unknown

        /// Decodes a word; a word that a later version adds is ``unknown``.
        ///
        /// - Throws: `DecodingError` if the value is not a text.
        public init(from decoder: any Decoder) throws {
            self = State(rawValue: try String(from: decoder)) ?? .unknown
        }
    }

    /// Whether the machine is awake or about to sleep.
    public var state: State
    @usableFromInline var secondsAsleep: Double?

    /// The length of the last completed sleep; `nil` before the first.
    ///
    /// Measured by the clocks of the kernel, whatever caused the sleep. A sleep that hibernated in between counts as one.
    public var sleptFor: Duration? {
        get { secondsAsleep.map { .seconds(min(max(0, $0), Self.longest)) } }
        set { secondsAsleep = newValue.map { $0 / .seconds(1) } }
    }

    /// The longest length in seconds, 30 million years: a posted number may not fit a duration.
    private static let longest = 1e15

    private enum CodingKeys: String, CodingKey {
        case state
        case secondsAsleep = "sleptFor"
    }

    /// Creates a reading.
    public init(state: State, sleptFor: Duration? = nil) {
        self.state = state
        self.sleptFor = sleptFor
    }
}

extension Sleep.State: GrowingWords {
    @usableFromInline package static let words: [Sleep.State] = [.awake, .preparing]
}

extension Sleep: AspectDeclaration {
    /// The state and the last sleep: `awake, slept for 512 s`.
    public var description: String {
        state.rawValue + (secondsAsleep.map { ", slept for \(Self.text($0)) s" } ?? "")
    }

    private static func text(_ seconds: Double) -> String {
        seconds < 10
            ? "\((seconds * 10).rounded() / 10)" : seconds < longest ? "\(Int(seconds.rounded()))" : "\(seconds)"
    }

    package static var traits: AspectTraits { AspectTraits(sampling: .onDemand, place: 14) }
    @usableFromInline package static var blank: Sleep { Sleep(state: .awake) }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.word("state", &state, else: .unknown)
        coder.show(as: DashboardEntity("sleep", "Sleep", icon: "mdi:sleep"))
        try coder.number("sleptFor", &secondsAsleep, in: .notNegative)
        coder.chart(in: " s")
        coder.show(as: DashboardEntity("slept_for", "Last sleep", quantity: "duration", unit: "s"))
    }

    package mutating func abbreviate(_ word: String) -> Bool {
        guard let state = State.words.first(where: { $0.rawValue == word }) else { return false }
        self.state = state
        return true
    }
}
