// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CReveilleLinux
import Glibc

/// An input device's node, read without waiting.
package final class InputDevice {
    private let descriptor: OwnedDescriptor
    private let path: String

    /// The size of a switch bitmap: SW_MAX is 0x10, eight bytes hold four times as many.
    private static let switchBytes = 8

    /// Opens a node.
    ///
    /// - Throws: `SystemError`: EACCES for users outside the group `input`.
    package init(node path: String) throws(SystemError) {
        self.path = path
        let number = retryingOnInterrupt { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        guard number >= 0 else { throw SystemError("open", on: path) }
        descriptor = OwnedDescriptor(number)
    }

    /// The descriptor, borrowed for as long as the device lives.
    package var number: Int32 { descriptor.number }

    /// Whether a switch is on (EVIOCGSW).
    package func isOn(switch code: Int) throws(SystemError) -> Bool {
        var bits = [UInt8](repeating: 0, count: Self.switchBytes)
        guard c_reveille_switches(number, &bits, Int32(Self.switchBytes)) >= 0 else {
            throw SystemError("ioctl EVIOCGSW", on: path)
        }
        return bits[code / 8] & (1 << UInt8(code % 8)) != 0
    }

    /// The value of an axis and its units for one physical unit, 0 if it does not say (EVIOCGABS).
    package func axis(_ code: Int) throws(SystemError) -> (value: Int, resolution: Int) {
        var value: Int32 = 0
        var resolution: Int32 = 0
        guard c_reveille_axis(number, Int32(code), &value, &resolution) >= 0 else {
            throw SystemError("ioctl EVIOCGABS", on: path)
        }
        return (Int(value), Int(resolution))
    }

    /// Takes the events that wait; they only say that it is time to ask for the state.
    ///
    /// - Returns: Whether the device is still there.
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
