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
