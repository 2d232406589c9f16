// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// How well the buffer of a sensor works.
struct BufferHealth {
    /// The number of waits that have ended without a scan since the last one.
    var silentWaits = 0
    /// Whether the sensor has provided scans, so that its buffer is tried again.
    var hasScans = false
    /// When the buffer that failed is tried again; `nil` while it has not failed.
    var recovers: Instant?
}
