// SPDX-License-Identifier: Apache-2.0

/// The subscriptions to each aspect that are in the foreground, or ignore the background.
struct ForegroundTable: Sendable {
    var counts = AspectTable<Int>(repeating: 0)
    /// The number of subscriptions to a stream, by the desired interval between samples in microseconds.
    var sampleIntervals = AspectTable<[UInt64: Int]>(repeating: [:])
}
