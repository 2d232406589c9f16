// SPDX-License-Identifier: Apache-2.0

/// The positions of a sensor's enabled channels in a scan: in order of their index, each aligned to its own size and
/// the whole to the largest (drivers/iio/industrialio-buffer.c, iio_compute_scan_bytes).
package struct ScanLayout: Sendable {
    /// The size of a scan in bytes.
    package let bytes: Int
    private let places: [(offset: Int, element: ScanElement)]

    /// Creates the layout of the enabled channels in order of their index; those to read are positions in it.
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

    /// Returns the wanted values of the last whole scan in a read; `nil` if there is none.
    package func last(of scans: [UInt8]) -> [Double]? {
        guard bytes > 0, scans.count >= bytes else { return nil }
        let start = (scans.count / bytes - 1) * bytes
        return places.map { offset, element in
            element.value(scans[(start + offset)..<(start + offset + element.bytes)])
        }
    }
}

/// The encoding of one channel in a scan, as in `scan_elements/*_type`: `le:s12/16>>4`.
///
/// See the kernel's ABI document sysfs-bus-iio. A repeated channel (`X3`) is not a number, and is refused.
package struct ScanElement: Sendable, Hashable {
    /// Whether the least significant byte comes first.
    package let isLittleEndian: Bool
    /// Whether values are the two's complement of ``bits``.
    package let isSigned: Bool
    /// The number of significant bits, 1 to 64.
    package let bits: Int
    /// The size in bytes: 1, 2, 4 or 8; the channel starts at a multiple of it.
    package let bytes: Int
    /// How many bits the value is shifted to the left.
    package let shift: Int

    package init?(_ text: String) {
        let text = SysfsText.trimmed(text)
        let isLittleEndian = text.utf8.starts(with: "le:".utf8)
        guard isLittleEndian || text.utf8.starts(with: "be:".utf8) else { return nil }
        let rest = text.utf8.dropFirst(3)
        guard let sign = rest.first, sign == UInt8(ascii: "s") || sign == UInt8(ascii: "u") else { return nil }
        let numbers = rest.dropFirst().split(
            separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        guard numbers.count == 2, let bits = Int(Substring(numbers[0])) else { return nil }
        // The shift is optional.
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

    /// Decodes a value from ``bytes`` bytes.
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
