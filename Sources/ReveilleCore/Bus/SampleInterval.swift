// SPDX-License-Identifier: Apache-2.0

/// The intervals between the samples of a stream.
package enum SampleInterval {
    /// The shortest interval that is granted, as for UIAccelerometer; far shorter than a frame of a display.
    package static let shortest: Duration = .milliseconds(10)
    /// The interval of a subscriber that gives none: enough for a value that a person reads.
    package static let usual: Duration = .milliseconds(100)
    /// The interval for subscribers that want fewer samples; their events are then further apart.
    package static let longest: Duration = .seconds(1)
}
