// SPDX-License-Identifier: Apache-2.0

import CUdev
import Glibc

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
