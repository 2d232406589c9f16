// SPDX-License-Identifier: Apache-2.0

/// The state of the system's battery packs.
public struct Battery: Sendable, Hashable, Codable {
    /// The battery state as in UIDevice: whether the device is plugged in, not whether current flows.
    @nonexhaustive public enum State: String, Sendable, CaseIterable, Codable {
        /// The device has no battery, or it is not known whether it is plugged in.
        case unknown
        /// The device runs on its battery.
        case unplugged
        /// The device is plugged in, and the battery is not full.
        case charging
        /// The device is plugged in, and the battery is full.
        case full
    }

    /// The charge status that packs report.
    @nonexhaustive public enum ChargeStatus: String, Sendable, CaseIterable, Codable {
        /// The driver does not report a status.
        case unknown
        /// Current flows in.
        case charging
        /// Current flows out.
        case discharging
        /// No current flows in, for example because of a charge threshold.
        case notCharging
        /// The pack is full.
        case full
    }

    /// The kind of power supply that the device is plugged into.
    @nonexhaustive public enum Supply: String, Sendable, CaseIterable, Codable {
        /// An adapter for the mains that is not on USB.
        case mains
        /// A USB port or charger.
        case usb
        /// A charging pad.
        case wireless
    }

    /// A battery pack.
    public struct Pack: Sendable, Hashable, Codable {
        /// The kernel's name of the pack: `BAT0`, `bq24735@5-0009`.
        public var name: String
        /// The level from 0 to 1; `nil` if it cannot be read.
        public var level: Double?
        /// The charge status that the pack reports.
        public var chargeStatus: ChargeStatus

        /// Creates the reading of a pack.
        public init(name: String, level: Double?, chargeStatus: ChargeStatus) {
            self.name = name
            self.level = level
            self.chargeStatus = chargeStatus
        }
    }

    /// The battery state.
    public var state: State
    /// The level of all packs together, from 0 to 1; `nil` if it cannot be read.
    public var level: Double?
    /// Whether the device is plugged in; `nil` if it is not known.
    public var isPlugged: Bool?
    /// The charge status of all packs together.
    public var chargeStatus: ChargeStatus
    /// The packs, sorted by name.
    public var packs: [Pack]
    /// The supply that the device is plugged into; `nil` if it is not plugged in, the kernel does not report the kind, or a
    /// later version has added it.
    public var supply: Supply?

    /// Creates a reading.
    public init(
        state: State, level: Double?, isPlugged: Bool?, chargeStatus: ChargeStatus, packs: [Pack],
        supply: Supply? = nil
    ) {
        self.state = state
        self.level = level
        self.isPlugged = isPlugged
        self.chargeStatus = chargeStatus
        self.packs = packs
        self.supply = supply
    }

    /// Creates a reading without packs, with the other properties derived from the state.
    public init(state: State, level: Double? = nil) {
        switch state {
        case .unknown: self.init(state: state, level: level, isPlugged: nil, chargeStatus: .unknown, packs: [])
        case .unplugged: self.init(state: state, level: level, isPlugged: false, chargeStatus: .discharging, packs: [])
        case .charging: self.init(state: state, level: level, isPlugged: true, chargeStatus: .charging, packs: [])
        case .full: self.init(state: state, level: level, isPlugged: true, chargeStatus: .full, packs: [])
        }
    }

    private enum CodingKeys: String, CodingKey {
        case state, level, chargeStatus, packs, supply
        case isPlugged = "plugged"
    }

    /// The reading of a device without a battery.
    package static let unknown = Battery(state: .unknown)
}

extension Battery: AspectDeclaration {
    /// The state and the levels: `unplugged, 62%`.
    public var description: String {
        var parts = [state.rawValue]
        if let level { parts.append(Self.percent(level)) }
        if packs.count > 1 {
            parts.append(packs.map { $0.name + " " + ($0.level.map(Self.percent) ?? "?") }.joined(separator: ", "))
        }
        if chargeStatus == .notCharging { parts.append("not charging") }
        return parts.joined(separator: ", ")
    }

    private static func percent(_ level: Double) -> String { level.percent ?? "level \(level)" }

    package static var traits: AspectTraits { AspectTraits(sampling: .onDemand, isDefault: true, place: 0) }
    @usableFromInline package static var blank: Battery { .unknown }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.word("state", &state, else: .unknown)
        try coder.number("level", &level, in: .level)
        coder.chart(in: "%")
        coder.show(as: DashboardEntity("battery", "Battery", quantity: "battery"))
        try coder.bool("plugged", &isPlugged)
        coder.show(as: DashboardEntity("plugged", "Plugged in", quantity: "plug"))
        try coder.word("chargeStatus", &chargeStatus, else: .unknown)
        coder.show(as: DashboardEntity("charging", "Charging", quantity: "battery_charging", on: "charging"))
        try coder.records("packs", &packs)
        try coder.laterWord("supply", &supply)
    }

    package mutating func abbreviate(_ word: String) -> Bool {
        guard let state = State(rawValue: word) else { return false }
        self.state = state
        return true
    }
}

extension Battery.Pack: Record {
    @usableFromInline package static var blank: Battery.Pack {
        Battery.Pack(name: "", level: nil, chargeStatus: .unknown)
    }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.string("name", &name)
        try coder.number("level", &level, in: .level)
        try coder.word("chargeStatus", &chargeStatus, else: .unknown)
    }
}

extension Reading {
    /// The reading for a client that did not ask for the supply: strict clients of earlier versions refuse the field.
    package var withoutSupply: Reading {
        guard case .battery(var battery) = self, battery.supply != nil else { return self }
        battery.supply = nil
        return .battery(battery)
    }
}

extension Battery.State: GrowingWords {}
extension Battery.ChargeStatus: GrowingWords {}
extension Battery.Supply: WordSet {}
