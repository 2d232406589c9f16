// SPDX-License-Identifier: Apache-2.0

import CUdev
import Glibc
package import ReveilleSystem

/// A device in udev's database, copied out of libudev.
package struct UdevDevice: Sendable, Hashable {
    /// The directory in sysfs, such as `/sys/devices/…/BAT0`.
    package var path: String
    /// The kernel's name, such as `BAT0`, `iio:device0` or `event4`.
    package var name: String
    /// The directories of the parent device, its parent, and so on.
    package var ancestors: [String]
    /// The device type, such as `iio_device`; `nil` for most devices.
    package var kind: String?
    package var node: String?
    /// The properties set by udev's rules, or by the kernel if there is no udev daemon.
    package var properties: [String: String]

    package var parent: String? { ancestors.first }

    private init(_ device: OpaquePointer, isBare: Bool) {
        let string = { (text: UnsafePointer<CChar>?) in text.map { String(cString: $0) } }
        path = string(udev_device_get_syspath(device)) ?? ""
        name = string(udev_device_get_sysname(device)) ?? ""
        ancestors = []
        // Parents belong to the device and are not released.
        var ancestor = udev_device_get_parent(device)
        while let current = ancestor {
            ancestors.append(string(udev_device_get_syspath(current)) ?? "")
            ancestor = udev_device_get_parent(current)
        }
        properties = [:]
        if isBare { return }
        let description = AttributeReads.read(path + "/uevent") { UdevDescription(device) }
        (kind, node, properties) = (description.kind, description.node, description.properties)
    }

    /// Whether the device still exists, determined without querying its driver.
    package var exists: Bool {
        access(path, F_OK) == 0
    }

    /// Returns whether an attribute exists, without querying the driver.
    package func has(_ attribute: String) -> Bool {
        access(path + "/" + attribute, F_OK) == 0
    }

    /// Reads the current text of an attribute from its file, since libudev caches attributes.
    package func attribute(_ name: String) -> SysfsAttribute {
        SysfsAttribute.read(path + "/" + name)
    }

    /// Whether a person means this device: by its kernel's name, or by that of a directory above it, such as
    /// `i2c-KIOX010A:00`, which stays the same when the kernel numbers devices otherwise.
    package func isCalled(_ name: String) -> Bool {
        path.split(separator: "/").contains { $0 == name }
    }

    /// Returns a property of a bare device that udev's rules have set, such as by an entry of hwdb.
    package func storedProperty(_ property: String, of subsystem: String) -> String? {
        let line = "E:\(property)="
        return FileContents.read("/run/udev/data/+\(subsystem):\(name)", limit: Self.databaseLimit).text?
            .split(separator: "\n").last { $0.hasPrefix(line) }.map { String($0.dropFirst(line.count)) }
    }

    /// The longest file of udev's database: a hundred times the usual one.
    private static let databaseLimit = 1 << 16

    /// Returns the current devices of a subsystem, sorted by name with numbers compared by value.
    ///
    /// Bare devices have no kind, node and properties, for which the kernel queries the driver: a battery would read every
    /// gauge, and a mouse would wait for its radio. A subsystem that does not exist has no devices.
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
            // A device that was removed after it was listed is skipped.
            if let path = udev_list_entry_get_name(current), let device = udev_device_new_from_syspath(udev, path) {
                devices.append(UdevDevice(device, isBare: isBare))
                udev_device_unref(device)
            }
            entry = udev_list_entry_get_next(current)
        }
        return devices.sorted { ($0.name.utf8.count, $0.name) < ($1.name.utf8.count, $1.name) }
    }
}

/// The parts of a device for which libudev reads its file `uevent`.
private struct UdevDescription: ReadValue {
    var kind: String?
    var node: String?
    var properties: [String: String] = [:]

    /// libudev does not report that it cannot read the file, which always has properties.
    var hasFailed: Bool { properties.isEmpty }

    init(_ device: OpaquePointer) {
        let string = { (text: UnsafePointer<CChar>?) in text.map { String(cString: $0) } }
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
}

/// A monitor of devices that are added, removed or changed.
///
/// It must be created, used and released on one thread (libudev(3)). An event's properties may be outdated, so
/// the receiver reads the device instead.
package final class UdevMonitor {
    package enum Received {
        /// A device event, with an action such as `change`, `add` or `remove`.
        case event(subsystem: String, path: String, action: String)
        /// The kernel's queue overflowed; unknown events were lost.
        case overflow
        case nothing
    }

    /// The requested size of the uevent queue in bytes; an unprivileged process gets the system's limit.
    private static let queueSize: Int32 = 8 << 20

    private let udev: OpaquePointer
    private let monitor: OpaquePointer

    /// Starts receiving the events of subsystems.
    ///
    /// The udev daemon sends them after running its rules. Without a daemon, as in containers, they come from the
    /// kernel.
    package init(subsystems: Set<String>) throws(SystemError) {
        guard let udev = udev_new() else { throw SystemError("udev_new") }
        self.udev = udev
        let group = access("/run/udev/control", F_OK) == 0 ? "udev" : "kernel"
        guard let monitor = udev_monitor_new_from_netlink(udev, group) else {
            udev_unref(udev)
            throw SystemError("udev_monitor_new_from_netlink", on: group)
        }
        self.monitor = monitor
        for subsystem in subsystems {
            udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, nil)
        }
        _ = udev_monitor_set_receive_buffer_size(monitor, Self.queueSize)
        let result = udev_monitor_enable_receiving(monitor)
        guard result >= 0 else { throw SystemError("udev_monitor_enable_receiving", code: -result) }
    }

    deinit {
        udev_monitor_unref(monitor)
        udev_unref(udev)
    }

    /// The descriptor to wait on, owned by the monitor.
    package var descriptor: Int32 { udev_monitor_get_fd(monitor) }

    package func receive() -> Received {
        errno = 0
        guard let device = udev_monitor_receive_device(monitor) else {
            return errno == ENOBUFS ? .overflow : .nothing
        }
        defer { udev_device_unref(device) }
        let string = { (text: UnsafePointer<CChar>?) in text.map { String(cString: $0) } ?? "" }
        return .event(
            subsystem: string(udev_device_get_subsystem(device)), path: string(udev_device_get_syspath(device)),
            action: string(udev_device_get_action(device)))
    }
}
