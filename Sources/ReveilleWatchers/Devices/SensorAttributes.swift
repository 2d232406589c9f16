// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleHost
import ReveilleSystem

/// The conversion of the raw values of an IIO sensor with three axes to the unit of its kind.
struct AxisScale: Equatable, Sendable {
    /// The conversion of values that already have their unit.
    static let identity = AxisScale(scale: Vector(repeating: 1), offset: Vector(repeating: 0), isStated: true)

    /// The factor of a raw value, by axis; 1 if the driver states none.
    let scale: Vector
    /// The number that is added to a raw value first, by axis.
    private let offset: Vector
    /// Whether the driver states the factor; without it, only the direction of values is known.
    let isStated: Bool

    /// Converts the first three values of a sample; `nil` if there are fewer.
    func applied(to raw: ArraySlice<Double>) -> Vector? {
        guard raw.count >= 3 else { return nil }
        let first = raw.startIndex
        return (Vector(x: raw[first], y: raw[first + 1], z: raw[first + 2]) + offset) * scale
    }
}

extension AxisScale {
    /// Reads the conversion from a device's attributes, whose names begin with a kind such as `in_accel`.
    init(of kind: String, _ device: UdevDevice) {
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
}

extension UdevDevice {
    /// Returns all sensors of the IIO subsystem, without the triggers of the same subsystem.
    static func sensors() throws(SystemError) -> [UdevDevice] {
        try all(of: "iio").filter { $0.kind == "iio_device" }
    }

    /// Returns the trimmed text of an attribute; `nil` if it cannot be read.
    func text(_ name: String) -> String? {
        attribute(name).text.map(SysfsText.trimmed)
    }

    /// Whether each channel has an attribute.
    func hasAttributes(of channels: [String]) -> Bool {
        channels.allSatisfy { has($0 + "_raw") }
    }

    /// Whether a scan of the buffer can contain all channels.
    func isBuffered(_ channels: [String]) -> Bool {
        channels.allSatisfy { has("scan_elements/\($0)_type") }
    }

    /// The text for a device that a person chose and that is not there.
    static let missingChoice = "chosen, but not found: the usual choice is made"

    /// The switches of an input device that has a node, by their codes in linux/input-event-codes.h; `nil` for another.
    var switches: InputBits? { capabilities("sw") }

    /// The axes, likewise.
    var axes: InputBits? { capabilities("abs") }

    private func capabilities(_ kind: String) -> InputBits? {
        guard node != nil, name.hasPrefix("event"), let parent,
            case .text(let text) = SysfsAttribute.read(parent + "/capabilities/" + kind)
        else { return nil }
        return InputBits(text)
    }

    /// The kernel's name, with the driver's in parentheses.
    var title: String {
        text("name").map { "\(name) (\($0))" } ?? name
    }
}

/// A bit mask as sysfs writes it: hexadecimal words of 64 bits, the most significant first.
package struct InputBits {
    private let words: [UInt64]

    /// Reads a mask; an invalid word has no bits set.
    package init(_ text: String) {
        words = SysfsText.words(text).reversed().map { UInt64($0, radix: 16) ?? 0 }
    }

    package func contains(_ bit: Int) -> Bool {
        bit / 64 < words.count && words[bit / 64] & (1 << UInt64(bit % 64)) != 0
    }
}
