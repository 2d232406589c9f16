// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// How often a sensor measures.
///
/// A sensor at 1 Hz holds whoever asks for a value for a second.
package enum SamplingFrequency {
    /// What is often enough, in Hz.
    package static let enough = 10.0

    /// The frequency to set a slow sensor to.
    ///
    /// - Parameters:
    ///   - current: What `sampling_frequency` says, in Hz.
    ///   - available: What `sampling_frequency_available` lists, in any order.
    /// - Returns: The word of the list for the lowest one that is enough, else for the highest; `nil` where the
    ///   sensor is fast enough or knows no faster one.
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
