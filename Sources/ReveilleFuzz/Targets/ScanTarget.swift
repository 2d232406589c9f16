// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// Checks that each value is in the range of its type, and that only whole scans are read.
///
/// The input is a line of types, followed by the bytes of scans.
enum ScanTarget {
    static func check(_ bytes: [UInt8]) throws(Falsified) {
        var input = FuzzInput(bytes)
        let elements = input.line().split(separator: " ").compactMap { ScanElement(String($0)) }
        let layout = ScanLayout(elements, wanted: Array(elements.indices))
        let scans = Array(input.rest)
        let sizes = elements.map(\.bytes)
        try require(layout.bytes >= sizes.reduce(0, +), "room for every channel")
        for size in sizes { try require(layout.bytes.isMultiple(of: size), "a scan is aligned to each channel") }
        let values = layout.last(of: scans)
        try requireEqual(
            values != nil, !elements.isEmpty && scans.count >= layout.bytes, "values of a whole scan")
        for (element, value) in zip(elements, values ?? []) {
            let top = Double(sign: .plus, exponent: element.isSigned ? element.bits - 1 : element.bits, significand: 1)
            try require((element.isSigned ? -top : 0)...top ~= value, "\(value) has \(element.bits) bits")
        }
        guard let values, layout.bytes > 0 else { return }
        let whole = scans.prefix(scans.count / layout.bytes * layout.bytes)
        try requireEqual(
            layout.last(of: Array(whole.suffix(layout.bytes))), values, "the last scan alone and after others")
    }
}
