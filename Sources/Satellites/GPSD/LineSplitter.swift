// SPDX-License-Identifier: Apache-2.0

/// Splits a stream of bytes into lines, wherever the stream is cut.
package struct LineSplitter: Sendable {
    /// The maximum length of a line in bytes.
    ///
    /// gpsd's own limit for a report is 10 KiB (`GPS_JSON_RESPONSE_MAX`).
    package static let limit = 65_536

    /// The start of a line whose end has not been received.
    private var rest: [UInt8] = []

    package init() {}

    /// Returns the lines that the bytes complete, without their line feeds.
    ///
    /// - Throws: ``GPSDError/lineTooLong``; the stream cannot be continued then.
    package mutating func lines(in bytes: [UInt8]) throws(GPSDError) -> [[UInt8]] {
        let pieces = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var lines: [[UInt8]] = []
        for (index, piece) in pieces.enumerated() {
            guard rest.count + piece.count <= Self.limit else { throw .lineTooLong }
            rest += piece
            if index < pieces.count - 1 {
                lines.append(rest)
                rest = []
            }
        }
        return lines
    }
}
