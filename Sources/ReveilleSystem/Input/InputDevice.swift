// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// The node of an input device, read without blocking.
package final class InputDevice {
    private let descriptor: OwnedDescriptor
    private let path: String

    /// The size of a switch bitmap: eight bytes hold four times as many switches as SW_MAX (0x10).
    private static let switchBytes = 8

    /// Throws EACCES for users outside the group `input`.
    package init(node path: String) throws(SystemError) {
        self.path = path
        descriptor = try OwnedDescriptor(opening: path, O_RDONLY | O_NONBLOCK)
    }

    /// The descriptor, borrowed for the lifetime of the device.
    package var number: Int32 { descriptor.number }

    package func isOn(switch code: Int) throws(SystemError) -> Bool {
        var bits = [UInt8](repeating: 0, count: Self.switchBytes)
        guard c_reveille_switches(number, &bits, Int32(Self.switchBytes)) >= 0 else {
            throw SystemError("ioctl EVIOCGSW", on: path)
        }
        return bits[code / 8] & (1 << UInt8(code % 8)) != 0
    }

    /// An axis (EVIOCGABS).
    package struct Axis {
        package let value: Int
        package let minimum: Int
        package let maximum: Int
        /// The units per physical unit; 0 if unspecified.
        package let resolution: Int
    }

    package func axis(_ code: Int) throws(SystemError) -> Axis {
        var axis = c_reveille_axis()
        guard c_reveille_read_axis(number, Int32(code), &axis) >= 0 else {
            throw SystemError("ioctl EVIOCGABS", on: path)
        }
        return Axis(
            value: Int(axis.value), minimum: Int(axis.minimum), maximum: Int(axis.maximum),
            resolution: Int(axis.resolution))
    }

    /// Discards the pending events, which only mean that the state is to be read; false if the device is gone.
    package func drain() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
            while true {
                let count = retryingOnInterrupt { read(number, buffer.baseAddress, buffer.count) }
                if count > 0 { continue }
                return count < 0 && errno == EAGAIN
            }
        }
    }
}
