// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A device of a ``SyntheticPhone`` that can be taken out and put back while programs look.
///
/// It keeps its state while it is out.
public class SyntheticPart {
    /// The kernel's name of the device: `battery`, `iio:device0`.
    public let name: String
    /// The device, for attributes that the part has no word for; `nil` while it is out.
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

    /// Whether the phone has it now.
    public var isPresent: Bool { device != nil }

    /// Puts it in, and tells of it by a uevent `add`; nothing if it is in already.
    ///
    /// - Throws: `TestbedError` when umockdev refuses it.
    public func insert() throws(TestbedError) {
        guard device == nil else { return }
        device = try testbed.add(subsystem: subsystem, name: name, attributes: attributes, properties: properties)
    }

    /// Takes it out, and tells of it by a uevent `remove`; nothing if it is out already.
    ///
    /// - Throws: `TestbedError` when the testbed's host is gone.
    public func remove() throws(TestbedError) {
        try device?.remove()
        device = nil
    }

    /// Sets attributes, of which nothing tells; while the part is out they are remembered.
    func set(_ values: [String: String]) throws(TestbedError) {
        attributes.merge(values) { $1 }
        try device?.set(values)
    }

    /// Sets attributes, and tells of it as the part's driver does.
    func change(_ values: [String: String]) throws(TestbedError) {
        try testbed.step { () throws(TestbedError) in
            try set(values)
            try device?.uevent("change")
        }
    }
}
