// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The sampling frequency of a sensor.
///
/// Reading a value from a sensor at 1 Hz blocks for a second.
package enum SamplingFrequency {
    /// The lowest sufficient frequency, in Hz.
    package static let enough = 10.0

    /// Returns a higher frequency for a slow sensor.
    ///
    /// - Parameters:
    ///   - current: The contents of `sampling_frequency`, in Hz.
    ///   - available: The contents of `sampling_frequency_available`, in any order.
    /// - Returns: The word of the list for the lowest sufficient frequency, otherwise for the highest; `nil` if the
    ///   sensor is fast enough or has no higher frequency.
    package static func raised(from current: String?, available: String?) -> String? {
        guard let current = SysfsText.number(current), current < enough, let available else { return nil }
        let choices = SysfsText.words(available).compactMap { word in
            SysfsText.number(word).map { (word: word, value: $0) }
        }
        let best =
            choices.filter { $0.value >= enough }.min { $0.value < $1.value } ?? choices.max { $0.value < $1.value }
        guard let best, best.value > current else { return nil }
        return best.word
    }
}
