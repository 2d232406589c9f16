// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A device of a ``Testbed``.
///
/// ```swift
/// let pack = try Testbed().add(subsystem: "power_supply", name: "BAT0", attributes: ["type": "Battery"])
/// try pack.set(["voltage_now": "3700000", "current_now": "150000"])
/// try pack.uevent("change")
/// ```
public struct SyntheticDevice {
    let testbed: Testbed
    /// The path as programs see it, such as `/sys/devices/BAT0`.
    public let path: String

    /// Writes an attribute in place without a uevent, as a driver does.
    ///
    /// For a phone with a bus, each call is a separate change; ``set(_:)`` changes several attributes together.
    ///
    /// - Parameters:
    ///   - attribute: The name of the file.
    ///   - value: The text, to which a newline is appended.
    /// - Throws: `TestbedError` if the file cannot be written.
    public func set(_ attribute: String, _ value: String) throws(TestbedError) {
        try set([attribute: value])
    }

    /// Writes a binary attribute in place without a uevent.
    ///
    /// - Parameters:
    ///   - attribute: The name of the file.
    ///   - bytes: The contents.
    /// - Throws: `TestbedError` if the file cannot be written.
    public func set(_ attribute: String, bytes: [UInt8]) throws(TestbedError) {
        try testbed.step { () throws(TestbedError) in try write(bytes, to: attribute) }
    }

    /// Writes several attributes in place as one change without a uevent.
    ///
    /// - Parameter attributes: The texts by file name; a newline is appended to each.
    /// - Throws: `TestbedError` if a file cannot be written.
    public func set(_ attributes: [String: String]) throws(TestbedError) {
        try testbed.step { () throws(TestbedError) in
            for (attribute, value) in attributes { try write(Array((value + "\n").utf8), to: attribute) }
        }
    }

    /// Sends a uevent with an action such as `change`, `add` or `remove`.
    ///
    /// - Throws: `TestbedError` if the testbed's host process has ended, or the bus of the phone does not answer.
    public func uevent(_ action: String) throws(TestbedError) {
        try testbed.step { () throws(TestbedError) in try testbed.ask(["uevent", path, action]) }
    }

    /// Removes the device and sends the uevent `remove`.
    ///
    /// - Throws: `TestbedError` if the testbed's host process has ended, or the bus of the phone does not answer.
    public func remove() throws(TestbedError) {
        try testbed.step { () throws(TestbedError) in try testbed.ask(["remove", path]) }
    }

    private func write(_ bytes: [UInt8], to attribute: String) throws(TestbedError) {
        let file = testbed.root + path + "/" + attribute
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw TestbedError("open", on: file) }
        defer { close(descriptor) }
        // Truncated after the write, so that a concurrent reader sees a value and never an empty file.
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, ftruncate(descriptor, bytes.count) == 0 else {
            throw TestbedError("write", on: file)
        }
    }
}

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

    let testbed: Testbed
    private let subsystem: String
    private let properties: [String: String]
    private var attributes: [String: String]

    init(
        _ testbed: Testbed, subsystem: String, name: String, attributes: [String: String] = [:], type: (String, String)
    ) {
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
        device = try testbed.step { () throws(TestbedError) in
            try testbed.add(
                subsystem: subsystem, name: name, parent: try insertParent(), attributes: attributes,
                properties: properties)
        }
    }

    /// Removes the part and sends the uevent `remove`; does nothing if it is already removed.
    ///
    /// - Throws: `TestbedError` if the testbed's host process has ended.
    public func remove() throws(TestbedError) {
        try testbed.step { () throws(TestbedError) in
            try device?.remove()
            device = nil
            try removeParent()
        }
    }

    /// Inserts the device to which the part belongs, if there is one.
    func insertParent() throws(TestbedError) -> SyntheticDevice? { nil }

    func removeParent() throws(TestbedError) {}

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
