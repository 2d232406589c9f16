// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The state of all battery packs of the system together.
public struct Battery: Sendable, Hashable, Codable {
    /// What UIDevice calls the battery state: about being plugged in, not about the flow of current.
    public enum State: String, Sendable, CaseIterable, Codable {
        /// There is no battery, or it cannot be told whether the device is plugged in.
        case unknown
        /// Runs on its battery.
        case unplugged
        /// Plugged in, below full.
        case charging
        /// Plugged in and full.
        case full
    }

    /// The raw status of a pack, or of all packs together.
    public enum ChargeStatus: String, Sendable, CaseIterable, Codable {
        /// The driver does not say.
        case unknown
        /// Current flows in.
        case charging
        /// Current flows out.
        case discharging
        /// Plugged in, or at rest, and no current flows in: a charge threshold, say.
        case notCharging
        /// The pack is full.
        case full
    }

    /// One battery pack.
    public struct Pack: Sendable, Hashable, Codable {
        /// The kernel's name of the pack: `BAT0`, `bq24735@5-0009`.
        public var name: String
        /// 0 to 1, `nil` when it cannot be read.
        public var level: Double?
        /// What the pack itself says.
        public var chargeStatus: ChargeStatus

        /// Makes the reading of a pack.
        public init(name: String, level: Double?, chargeStatus: ChargeStatus) {
            self.name = name
            self.level = level
            self.chargeStatus = chargeStatus
        }
    }

    /// Plugged in or not, full or not.
    public var state: State
    /// 0 to 1 over all packs, `nil` when it cannot be read.
    public var level: Double?
    /// Whether power comes from outside; `nil` when it cannot be told.
    public var isPlugged: Bool?
    /// The raw status of all packs together.
    public var chargeStatus: ChargeStatus
    /// The packs, by name.
    public var packs: [Pack]

    /// Makes a reading of its parts.
    public init(state: State, level: Double?, isPlugged: Bool?, chargeStatus: ChargeStatus, packs: [Pack]) {
        self.state = state
        self.level = level
        self.isPlugged = isPlugged
        self.chargeStatus = chargeStatus
        self.packs = packs
    }

    /// Makes the reading of a device that says no more than this: the rest follows from the state.
    ///
    /// - Parameters:
    ///   - state: Plugged in or not, full or not; whether power comes from outside, and the raw status, are as such a
    ///     device reads them.
    ///   - level: 0 to 1 over all packs, `nil` when it cannot be read.
    public init(state: State, level: Double? = nil) {
        switch state {
        case .unknown: self.init(state: state, level: level, isPlugged: nil, chargeStatus: .unknown, packs: [])
        case .unplugged: self.init(state: state, level: level, isPlugged: false, chargeStatus: .discharging, packs: [])
        case .charging: self.init(state: state, level: level, isPlugged: true, chargeStatus: .charging, packs: [])
        case .full: self.init(state: state, level: level, isPlugged: true, chargeStatus: .full, packs: [])
        }
    }

    private enum CodingKeys: String, CodingKey {
        case state
        case level
        case isPlugged = "plugged"
        case chargeStatus
        case packs
    }

    /// What a device without a battery reads.
    public static let unknown = Battery(
        state: .unknown, level: nil, isPlugged: nil, chargeStatus: .unknown, packs: [])
}

extension Battery: CustomStringConvertible {
    /// `unplugged, 62 %`; of several packs each, and that a plugged one does not charge.
    public var description: String {
        var parts = [state.rawValue]
        if let level { parts.append(Self.percent(level)) }
        if packs.count > 1 {
            parts.append(packs.map { $0.name + " " + ($0.level.map(Self.percent) ?? "?") }.joined(separator: ", "))
        }
        if chargeStatus == .notCharging { parts.append("not charging") }
        return parts.joined(separator: ", ")
    }

    private static func percent(_ level: Double) -> String {
        // One that no battery has is shown as it is; as a whole number it may not exist.
        0...1 ~= level ? "\(Int((level * 100).rounded())) %" : "level \(level)"
    }
}
