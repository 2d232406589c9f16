// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A device of a phone that can be taken out and put in again; it keeps its values meanwhile.
public final class SyntheticPart {
    private let testbed: Testbed
    private let subsystem: String
    private let name: String
    private let properties: [String: String]
    private var attributes: [String: String]
    private var device: SyntheticDevice?

    init(
        _ testbed: Testbed, subsystem: String, name: String, attributes: [String: String],
        properties: [String: String]
    ) throws(TestbedError) {
        self.testbed = testbed
        self.subsystem = subsystem
        self.name = name
        self.attributes = attributes
        self.properties = properties
        try attach()
    }

    /// Whether it is in the phone.
    public var isAttached: Bool { device != nil }

    /// Puts the device in, and tells by a uevent `add`; one that is in stays.
    public func attach() throws(TestbedError) {
        guard device == nil else { return }
        device = try testbed.add(subsystem: subsystem, name: name, attributes: attributes, properties: properties)
    }

    /// Takes the device out, and tells by a uevent `remove`; one that is out stays.
    public func remove() throws(TestbedError) {
        try device?.remove()
        device = nil
    }

    /// Writes attributes as a driver does.
    ///
    /// - Parameters:
    ///   - values: The files' names and texts.
    ///   - tells: Sends a uevent `change` behind them; sensors send none.
    /// - Throws: `TestbedError` when a file cannot be written.
    public func set(_ values: [String: String], tells: Bool = false) throws(TestbedError) {
        attributes.merge(values) { $1 }
        guard let device else { return }
        for (attribute, value) in values.sorted(by: { $0.key < $1.key }) { try device.set(attribute, value) }
        if tells { try device.uevent("change") }
    }
}
