// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// How well the buffer of a sensor works.
struct BufferHealth {
    /// The number of waits without a scan since the last scan.
    var silentWaits = 0
    /// Whether the sensor has provided scans, so that its buffer is tried again.
    var hasScans = false
    /// When a failed buffer is tried again; `nil` for a working buffer.
    var recovers: Instant?
}
