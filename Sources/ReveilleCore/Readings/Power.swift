// SPDX-License-Identifier: Apache-2.0

/// The energy and the power of the system's battery packs.
///
/// Values that the driver does not report, or that cannot be right, are `nil`. `reveille doctor` explains which.
public struct Power: Sendable, Hashable, Codable {
    /// A battery pack.
    public struct Pack: Sendable, Hashable, Codable {
        /// The kernel's name of the pack, such as `BAT0`.
        public var name: String
        /// The manufacturer.
        public var vendor: String?
        /// The model.
        public var model: String?
        /// The technology in the kernel's words, such as `Li-ion`.
        public var technology: String?
        /// The energy in watt-hours.
        public var energy: Double?
        /// The energy of the full pack in watt-hours, which decreases with age.
        public var energyFull: Double?
        /// The energy of the full pack in watt-hours when it was new.
        public var energyFullDesign: Double?
        /// The power in watts, positive while the pack charges.
        public var power: Double?
        /// The voltage in volts.
        public var voltage: Double?
        /// The temperature in degrees Celsius.
        public var temperature: Double?
        /// The number of full charges.
        public var cycles: Int?

        /// Creates the reading of a pack without values.
        public init(name: String) {
            self.name = name
        }
    }

    /// The power of all packs together in watts, positive while they charge.
    public var power: Double?
    /// The energy of all packs together in watt-hours.
    public var energy: Double?
    /// The energy of all packs together in watt-hours when they are full.
    public var energyFull: Double?
    /// The ratio of ``energyFull`` to the full energy of new packs, from 0 to 1.
    public var health: Double?
    @usableFromInline package var secondsToEmpty: Int?
    @usableFromInline package var secondsToFull: Int?
    /// The packs, sorted by name.
    public var packs: [Pack]

    /// The time until the packs are empty at the mean power of the last minutes, in whole seconds; `nil` while they charge,
    /// or if it is unknown.
    public var timeToEmpty: Duration? {
        get { secondsToEmpty.map { .seconds($0) } }
        set { secondsToEmpty = newValue.map { Int($0.components.seconds) } }
    }

    /// The time until the packs are full at the mean power of the last minutes, in whole seconds; `nil` while they
    /// discharge, or if it is unknown.
    public var timeToFull: Duration? {
        get { secondsToFull.map { .seconds($0) } }
        set { secondsToFull = newValue.map { Int($0.components.seconds) } }
    }

    private enum CodingKeys: String, CodingKey {
        case power, energy, energyFull, health, packs
        case secondsToEmpty = "timeToEmpty"
        case secondsToFull = "timeToFull"
    }

    /// Creates a reading without totals.
    public init(packs: [Pack]) {
        self.packs = packs
    }

    /// The reading of a device without a battery.
    package static let unknown = Power(packs: [])
}

extension Power: AspectDeclaration {
    /// The power, the energy and the time: `-7.3 W, 31.2 of 48.0 Wh, empty in 4:16`.
    public var description: String {
        var parts: [String] = []
        if let power { parts.append(Self.text(power) + " W") }
        if let energy {
            parts.append(Self.text(energy) + (energyFull.map { " of " + Self.text($0) } ?? "") + " Wh")
        }
        if let secondsToEmpty { parts.append("empty in " + Self.time(secondsToEmpty)) }
        if let secondsToFull { parts.append("full in " + Self.time(secondsToFull)) }
        return parts.isEmpty ? "unknown" : parts.joined(separator: ", ")
    }

    /// Returns a number with one decimal; a huge number is shown unchanged, since it may not fit an integer.
    private static func text(_ number: Double) -> String {
        abs(number) < 1e12 ? "\((number * 10).rounded() / 10)" : "\(number)"
    }

    private static func time(_ seconds: Int) -> String {
        let minutes = seconds / 60 % 60
        return "\(seconds / 3_600):\(minutes < 10 ? "0" : "")\(minutes)"
    }

    package static var traits: AspectTraits { AspectTraits(sampling: .onDemand, place: 1) }
    @usableFromInline package static var blank: Power { .unknown }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.number("power", &power)
        coder.chart(in: " W")
        coder.show(as: DashboardEntity("power", "Battery power", quantity: "power", unit: "W"))
        // The class `energy` would be a counter of consumption.
        try coder.number("energy", &energy)
        coder.show(as: DashboardEntity("energy", "Battery energy", quantity: "energy_storage", unit: "Wh"))
        try coder.number("energyFull", &energyFull)
        try coder.number("health", &health, in: .level)
        coder.show(as: DashboardEntity("health", "Battery health", isDiagnostic: true))
        try coder.integer("timeToEmpty", &secondsToEmpty)
        coder.show(as: DashboardEntity("time_to_empty", "Time to empty", quantity: "duration", unit: "s"))
        try coder.integer("timeToFull", &secondsToFull)
        coder.show(as: DashboardEntity("time_to_full", "Time to full", quantity: "duration", unit: "s"))
        try coder.records("packs", &packs)
    }

    package static var abbreviations: String? { #", such as {"power": -5.2, "timeToEmpty": 14400}"# }
}

extension Power.Pack: Record {
    @usableFromInline package static var blank: Power.Pack { Power.Pack(name: "") }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.string("name", &name)
        try coder.string("vendor", &vendor)
        coder.accepts("a string, or null")
        try coder.string("model", &model)
        coder.accepts("a string, or null")
        try coder.string("technology", &technology)
        coder.accepts("a string, or null")
        try coder.number("energy", &energy)
        try coder.number("energyFull", &energyFull)
        try coder.number("energyFullDesign", &energyFullDesign)
        try coder.number("power", &power)
        // The voltages of packs have no sum.
        try coder.number("voltage", &voltage)
        try coder.number("temperature", &temperature)
        coder.show(
            as: DashboardEntity(
                "temperature", "Battery temperature", quantity: "temperature", unit: "°C", digits: 1, isDiagnostic: true
            ))
        try coder.integer("cycles", &cycles)
    }
}
