// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

/// The access to a sensor's node, which udev grants a moment after the sensor has appeared.
@Suite struct SensorAccessTests {
    @Test(arguments: [(EACCES, true), (EPERM, true), (EINVAL, false)])
    func bufferIsTriedAgainAfterAnEventIfAccessWasDenied(_ code: Int32, _ isTriedAgain: Bool) {
        let reader = IIOReader(IIOChannels(device: "/sys/missing", names: ["in_accel_x"], node: "/dev/missing"))
        reader.refusal.withLock { $0 = SystemError("open", on: "/dev/missing", code: code) }
        #expect(reader.manner.hasPrefix("polled, buffer unavailable: open /dev/missing"))
        reader.reconsiderAccess()
        #expect((reader.manner == "by its buffer") == isTriedAgain)
    }
}
