// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A device of a ``Testbed``.
public struct SyntheticDevice {
    let testbed: Testbed
    /// Its path as programs see it: `/sys/devices/BAT0`.
    public let path: String

    /// Writes an attribute in place, as a driver does it; no uevent tells of it.
    ///
    /// On a phone that has a bus this is a change of its own; ``set(_:)`` makes one of several attributes.
    ///
    /// - Parameters:
    ///   - attribute: The file's name.
    ///   - value: Its text, to which a newline is added.
    /// - Throws: `TestbedError` when the file cannot be written.
    public func set(_ attribute: String, _ value: String) throws(TestbedError) {
        try set([attribute: value])
    }

    /// Writes several attributes in place as one change; no uevent tells of it.
    ///
    /// - Parameter attributes: The text of each file by its name; a newline is added to each.
    /// - Throws: `TestbedError` when a file cannot be written.
    public func set(_ attributes: [String: String]) throws(TestbedError) {
        try testbed.step { () throws(TestbedError) in
            for (attribute, value) in attributes { try write(value + "\n", to: attribute) }
        }
    }

    /// Sends a uevent: `change`, `add`, `remove`.
    public func uevent(_ action: String) throws(TestbedError) {
        try testbed.step { () throws(TestbedError) in try testbed.ask(["uevent", path, action]) }
    }

    /// Takes the device away, and tells by a uevent `remove`.
    public func remove() throws(TestbedError) {
        try testbed.step { () throws(TestbedError) in try testbed.ask(["remove", path]) }
    }

    private func write(_ text: String, to attribute: String) throws(TestbedError) {
        let file = testbed.root + path + "/" + attribute
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw TestbedError("open \(file): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        // Written before it is cut: a reader in between sees a value, never an empty file.
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, ftruncate(descriptor, bytes.count) == 0 else {
            throw TestbedError("write \(file): \(String(cString: strerror(errno)))")
        }
    }
}
