// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CUdev
import Glibc

/// A device as udev knows it, copied out of libudev.
package struct UdevDevice: Sendable, Hashable {
    /// Its directory in sysfs: `/sys/devices/…/BAT0`.
    package var path: String
    /// The kernel's name: `BAT0`, `iio:device0`, `event4`.
    package var name: String
    /// What it is a part of, and what that is a part of, and so on.
    package var ancestors: [String]
    /// `iio_device`, say; `nil` for most.
    package var kind: String?
    /// Its node in `/dev`, if it has one.
    package var node: String?
    /// What the rules of udev found out; without a udev daemon, what the kernel says.
    package var properties: [String: String]

    /// What it is a part of.
    package var parent: String? { ancestors.first }

    private init(_ device: OpaquePointer, isBare: Bool) {
        let string = { (text: UnsafePointer<CChar>?) in text.map { String(cString: $0) } }
        path = string(udev_device_get_syspath(device)) ?? ""
        name = string(udev_device_get_sysname(device)) ?? ""
        ancestors = []
        // Parents belong to the device, and are not released.
        var ancestor = udev_device_get_parent(device)
        while let current = ancestor {
            ancestors.append(string(udev_device_get_syspath(current)) ?? "")
            ancestor = udev_device_get_parent(current)
        }
        properties = [:]
        if isBare { return }
        kind = string(udev_device_get_devtype(device))
        node = string(udev_device_get_devnode(device))
        var entry = udev_device_get_properties_list_entry(device)
        while let current = entry {
            if let name = string(udev_list_entry_get_name(current)) {
                properties[name] = string(udev_list_entry_get_value(current)) ?? ""
            }
            entry = udev_list_entry_get_next(current)
        }
    }

    /// Whether it is still there; asks no driver anything.
    package var exists: Bool {
        access(path, F_OK) == 0
    }

    /// An attribute's text as it is now.
    ///
    /// libudev remembers what it read once, so the file is read.
    package func attribute(_ name: String) -> SysfsAttribute {
        SysfsAttribute.read(path + "/" + name)
    }

    /// The devices of a subsystem that are there now, by name; numbers in names count as numbers.
    ///
    /// - Parameters:
    ///   - subsystem: One that does not exist has no devices.
    ///   - isBare: Leaves out kind, node and properties, for which the kernel asks the driver for all it knows:
    ///     a battery's would read every gauge, and a mouse's wait for its radio.
    /// - Returns: The devices.
    /// - Throws: `SystemError` when udev cannot be asked.
    package static func all(of subsystem: String, isBare: Bool = false) throws(SystemError) -> [UdevDevice] {
        guard let udev = udev_new() else { throw SystemError("udev_new") }
        defer { udev_unref(udev) }
        guard let enumerate = udev_enumerate_new(udev) else { throw SystemError("udev_enumerate_new") }
        defer { udev_enumerate_unref(enumerate) }
        udev_enumerate_add_match_subsystem(enumerate, subsystem)
        let result = udev_enumerate_scan_devices(enumerate)
        guard result >= 0 else {
            throw SystemError("udev_enumerate_scan_devices", on: subsystem, code: -result)
        }
        var devices: [UdevDevice] = []
        var entry = udev_enumerate_get_list_entry(enumerate)
        while let current = entry {
            // One that has gone since it was listed is no device any more.
            if let path = udev_list_entry_get_name(current), let device = udev_device_new_from_syspath(udev, path) {
                devices.append(UdevDevice(device, isBare: isBare))
                udev_device_unref(device)
            }
            entry = udev_list_entry_get_next(current)
        }
        return devices.sorted { ($0.name.utf8.count, $0.name) < ($1.name.utf8.count, $1.name) }
    }
}
