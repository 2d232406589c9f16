// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CUdev
import Glibc

/// Tells that devices came, went or changed.
///
/// Created, used and released on one thread, which libudev(3) demands. What an event says of a device is
/// history; whoever gets one reads the device.
package final class UdevMonitor {
    /// What was received.
    package enum Received {
        /// Something happened to a device: `change`, `add`, `remove` and others.
        case event(subsystem: String, path: String, action: String)
        /// The kernel's queue ran over; what is lost is not known.
        case overflow
        /// Nothing more for now.
        case nothing
    }

    /// The queue of uevents that is asked for, in bytes; an unprivileged process gets the system's limit.
    private static let queueSize: Int32 = 8 << 20

    private let udev: OpaquePointer
    private let monitor: OpaquePointer

    /// Starts to receive the events of these subsystems.
    ///
    /// They come from the udev daemon once its rules have run; where none runs, as in containers, from the
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

    /// The descriptor to wait on; it belongs to the monitor.
    package var descriptor: Int32 { udev_monitor_get_fd(monitor) }

    /// Takes the next event.
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
