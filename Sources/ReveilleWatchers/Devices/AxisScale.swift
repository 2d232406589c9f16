// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The conversion of the raw values of an IIO sensor with three axes to the unit of its kind.
struct AxisScale: Equatable {
    /// The conversion of values that already have their unit.
    static let identity = AxisScale(scale: Vector(repeating: 1), offset: Vector(repeating: 0), isStated: true)

    /// The factor of a raw value, by axis; 1 if the driver states none.
    let scale: Vector
    /// The number that is added to a raw value first, by axis.
    private let offset: Vector
    /// Whether the driver states the factor; without it, only the direction of values is known.
    let isStated: Bool

    private init(scale: Vector, offset: Vector, isStated: Bool) {
        self.scale = scale
        self.offset = offset
        self.isStated = isStated
    }

    /// Reads the conversion from a device's attributes, whose names begin with a kind such as `in_accel`.
    init(of kind: String, _ device: IIODevice) {
        func number(_ name: String) -> Double? { SysfsText.number(device.text(name)) }
        // A scale of 0 means no scale.
        func factor(_ name: String) -> Double? { number(name).flatMap { $0 == 0 ? nil : $0 } }
        func axes(_ value: (String) -> Double?) -> Vector? {
            guard let x = value("\(kind)_x"), let y = value("\(kind)_y"), let z = value("\(kind)_z") else { return nil }
            return Vector(x: x, y: y, z: z)
        }
        let scale =
            axes { factor($0 + "_scale") }
            ?? (factor(kind + "_scale") ?? factor("scale")).map { Vector(repeating: $0) }
        self.scale = scale ?? Vector(repeating: 1)
        isStated = scale != nil
        let common = number(kind + "_offset") ?? 0
        offset = axes { number($0 + "_offset") ?? common } ?? Vector(repeating: common)
    }

    /// Converts the first three values of a sample; `nil` if there are fewer.
    func applied(to raw: ArraySlice<Double>) -> Vector? {
        guard raw.count >= 3 else { return nil }
        let first = raw.startIndex
        return (Vector(x: raw[first], y: raw[first + 1], z: raw[first + 2]) + offset) * scale
    }
}
