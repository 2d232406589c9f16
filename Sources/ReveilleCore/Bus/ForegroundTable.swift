// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The subscriptions to each aspect that are in the foreground, or ignore the background.
struct ForegroundTable: Sendable {
    /// Their number.
    var counts = AspectTable<Int>(repeating: 0)
    /// Their number for a stream, by the interval in microseconds at which they want samples.
    var sampleIntervals = AspectTable<[UInt64: Int]>(repeating: [:])
}
