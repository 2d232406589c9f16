// SPDX-License-Identifier: Apache-2.0

/// The sampling frequency of a sensor: reading a value at 1 Hz blocks for a second.
package enum SamplingFrequency {
    /// The lowest sufficient frequency, in Hz.
    package static let enough = 10.0

    /// Returns a higher frequency for a slow sensor; `nil` if it is fast enough or has no higher frequency.
    ///
    /// It is the word of the list, in any order, for the lowest sufficient frequency, otherwise for the highest.
    package static func raised(from current: String?, available: String?) -> String? {
        guard let current = SysfsText.number(current), current < enough, let available else { return nil }
        let choices = numbers(available)
        let best =
            choices.filter { $0.value >= enough }.min { $0.value < $1.value } ?? choices.max { $0.value < $1.value }
        guard let best, best.value > current else { return nil }
        return best.word
    }

    /// Returns the text to write for a stream: the lowest sufficient frequency in Hz, otherwise the highest.
    ///
    /// The contents of `sampling_frequency_available` are a list, or `[lowest step highest]`; if they are `nil`, the
    /// sensor accepts any frequency. The result is `nil` if the contents are invalid.
    package static func lowest(atLeast wanted: Double, available: String?) -> String? {
        guard let available else { return wanted.text }
        let text = SysfsText.trimmed(available)
        if text.hasPrefix("["), text.hasSuffix("]") {
            let range = SysfsText.words(String(text.dropFirst().dropLast())).compactMap { SysfsText.number($0) }
            guard range.count == 3, range[0] <= range[2], range[1] > 0 else { return nil }
            let steps = ((wanted - range[0]) / range[1]).rounded(.up)
            return min(range[2], range[0] + max(0, steps) * range[1]).text
        }
        let choices = numbers(text)
        return
            (choices.filter { $0.value >= wanted }.min { $0.value < $1.value } ?? choices.max { $0.value < $1.value })?
            .word
    }

    /// Returns the highest frequency in Hz in `sampling_frequency_available`; `nil` if it is unknown.
    package static func highest(available: String?) -> Double? {
        available.flatMap { text in
            numbers(String(text.filter { $0 != "[" && $0 != "]" })).map(\.value).filter { $0 > 0 }.max()
        }
    }

    private static func numbers(_ text: String) -> [(word: String, value: Double)] {
        SysfsText.words(text).compactMap { word in SysfsText.number(word).map { (word, $0) } }
    }
}
