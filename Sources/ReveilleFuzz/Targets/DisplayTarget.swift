// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// Checks that every size and mode of a display is positive, and that a damaged description is refused.
///
/// The input is the first line of a list of modes, followed by a description.
enum DisplayTarget {
    /// The size of the base block of a description.
    private static let blockSize = 128

    static func check(_ bytes: [UInt8]) throws(Falsified) {
        var input = FuzzInput(bytes)
        let mode = DisplayMode(firstOf: input.line())
        var block = Array(input.rest)
        let description = EDID(block)
        for mode in [mode, description?.mode].compactMap({ $0 }) {
            try require(mode.width > 0 && mode.height > 0, "the mode \(mode) has pixels")
            try requireEqual(DisplayMode(firstOf: "\(mode.width)x\(mode.height)\n"), mode, "a mode after encoding")
        }
        if let size = description?.size {
            try require(size.width > 0 && size.height > 0, "the size \(size) is positive")
        }
        let connector = DisplayConnector(name: "DP-1", isConnected: true, mode: mode, description: description)
        let reading = DisplayRule.reading(of: [connector], brightness: nil, scale: nil)
        try requireEncodable(.display(reading))
        // Most inputs lack only the right checksum, without which little of the reader runs.
        guard block.count >= blockSize else { return }
        block[blockSize - 1] = 0 &- block.prefix(blockSize - 1).reduce(0, &+)
        if let size = EDID(block)?.size {
            try require(size.width > 0 && size.height > 0, "the size \(size) is positive")
        }
        block[0] ^= 1
        try require(EDID(block) == nil, "a damaged description is refused")
    }
}
