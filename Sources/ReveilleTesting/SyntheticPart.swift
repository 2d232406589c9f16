// SPDX-License-Identifier: Apache-2.0

/// A device of a ``SyntheticPhone`` that can be removed and reinserted while programs run, and retains its state.
///
/// ```swift
/// try phone.proximitySensor.remove()
/// try phone.proximitySensor.insert()
/// ```
public class SyntheticPart {
    /// The kernel's name of the device, such as `battery` or `iio:device0`.
    public let name: String
    /// The device, for attributes that the part does not model; `nil` while it is removed.
    public private(set) var device: SyntheticDevice?

    private let testbed: Testbed
    private let subsystem: String
    private let properties: [String: String]
    private var attributes: [String: String]

    init(_ testbed: Testbed, subsystem: String, name: String, attributes: [String: String], type: (String, String)) {
        self.testbed = testbed
        self.subsystem = subsystem
        self.name = name
        self.attributes = attributes
        properties = [type.0: type.1]
    }

    /// Whether the part is inserted.
    public var isPresent: Bool { device != nil }

    /// Inserts the part and sends the uevent `add`; does nothing if it is already inserted.
    ///
    /// - Throws: `TestbedError` if umockdev rejects the device.
    public func insert() throws(TestbedError) {
        guard device == nil else { return }
        device = try testbed.add(subsystem: subsystem, name: name, attributes: attributes, properties: properties)
    }

    /// Removes the part and sends the uevent `remove`; does nothing if it is already removed.
    ///
    /// - Throws: `TestbedError` if the testbed's host process has ended.
    public func remove() throws(TestbedError) {
        try device?.remove()
        device = nil
    }

    /// Sets attributes without a uevent; while the part is removed, they are stored.
    func set(_ values: [String: String]) throws(TestbedError) {
        attributes.merge(values) { $1 }
        try device?.set(values)
    }

    /// Sets attributes and sends a uevent, as the part's driver does.
    func change(_ values: [String: String]) throws(TestbedError) {
        try testbed.step { () throws(TestbedError) in
            try set(values)
            try device?.uevent("change")
        }
    }
}
