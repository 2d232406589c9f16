// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// How one channel lies in a scan, as `scan_elements/*_type` writes it: `le:s12/16>>4`.
///
/// Kernel ABI document sysfs-bus-iio; a repeated channel (`X3`) is more than a number, and not taken.
package struct ScanElement: Sendable, Hashable {
    /// The least significant byte comes first.
    package let isLittleEndian: Bool
    /// Negative values are two's complement of ``bits``.
    package let isSigned: Bool
    /// How many bits count: 1 to 64.
    package let bits: Int
    /// How many bytes it takes: 1, 2, 4 or 8; it starts at a multiple of that.
    package let bytes: Int
    /// How far it is shifted to the left.
    package let shift: Int

    /// Reads a type; `nil` for text that is none.
    package init?(_ text: String) {
        let text = SysfsText.trimmed(text)
        let isLittleEndian = text.utf8.starts(with: "le:".utf8)
        guard isLittleEndian || text.utf8.starts(with: "be:".utf8) else { return nil }
        let rest = text.utf8.dropFirst(3)
        guard let sign = rest.first, sign == UInt8(ascii: "s") || sign == UInt8(ascii: "u") else { return nil }
        let numbers = rest.dropFirst().split(
            separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        guard numbers.count == 2, let bits = Int(Substring(numbers[0])) else { return nil }
        // The shift can be left out.
        var storage = numbers[1]
        var shift = 0
        if let arrow = storage.firstIndex(of: UInt8(ascii: ">")) {
            let count = storage[arrow...].dropFirst(2)
            guard storage[arrow...].starts(with: ">>".utf8), let count = Int(Substring(count)) else { return nil }
            shift = count
            storage = storage[..<arrow]
        }
        guard let width = Int(Substring(storage)), [8, 16, 32, 64].contains(width), (1...width).contains(bits),
            (0...width - bits).contains(shift)
        else { return nil }
        self.isLittleEndian = isLittleEndian
        isSigned = sign == UInt8(ascii: "s")
        self.bits = bits
        bytes = width / 8
        self.shift = shift
    }

    /// The value that lies in some bytes; as many as ``bytes`` says.
    func value(_ stored: some Sequence<UInt8>) -> Double {
        var word: UInt64 = 0
        for (index, byte) in stored.enumerated() {
            word = isLittleEndian ? word | UInt64(byte) << UInt64(8 * index) : word << 8 | UInt64(byte)
        }
        let unused = UInt64(64 - bits)
        let upmost = (word >> UInt64(shift)) << unused
        return isSigned ? Double(Int64(bitPattern: upmost) >> Int64(unused)) : Double(upmost >> unused)
    }
}

/// Where the channels of a sensor lie in a scan: all that are enabled, by their index, each aligned to its own
/// size and the whole to the largest of them (drivers/iio/industrialio-buffer.c, iio_compute_scan_bytes).
package struct ScanLayout: Sendable {
    /// How many bytes a scan takes.
    package let bytes: Int
    private let places: [(offset: Int, element: ScanElement)]

    /// Lays out the channels that are enabled.
    ///
    /// - Parameters:
    ///   - elements: The enabled channels in order of their index.
    ///   - wanted: Which of them are to be read, as positions in `elements`.
    package init(_ elements: [ScanElement], wanted: [Int]) {
        var end = 0
        let offsets = elements.map { element in
            let offset = Self.align(end, to: element.bytes)
            end = offset + element.bytes
            return offset
        }
        bytes = Self.align(end, to: elements.map(\.bytes).max() ?? 1)
        places = wanted.map { (offsets[$0], elements[$0]) }
    }

    private static func align(_ offset: Int, to size: Int) -> Int {
        (offset + size - 1) / size * size
    }

    /// The wanted values of the last whole scan of those that were read; `nil` if there is none.
    package func last(of scans: [UInt8]) -> [Double]? {
        guard bytes > 0, scans.count >= bytes else { return nil }
        let start = (scans.count / bytes - 1) * bytes
        return places.map { offset, element in
            element.value(scans[(start + offset)..<(start + offset + element.bytes)])
        }
    }
}
