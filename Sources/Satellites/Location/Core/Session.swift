// SPDX-License-Identifier: Apache-2.0

/// A connection to gpsd as bytes in, fixes out.
package struct Session: Sendable {
    /// The only command: requests reports in JSON.
    package static let watch = Array(#"?WATCH={"enable":true,"json":true}"#.utf8) + [UInt8(ascii: "\n")]

    /// The time in which gpsd must send its version; a working gpsd does so on accepting a connection.
    package static let greetingTime: Duration = .seconds(10)

    /// Whether the peer has identified itself as gpsd.
    package private(set) var hasGreeted = false
    /// The first line that is not a report, cut; such lines are ignored, since gpsd's own are sometimes damaged.
    package private(set) var ignored: String?
    private var splitter = LineSplitter()

    package init() {}

    /// Returns the fixes that the bytes complete, with the paths of their receivers; an error ends the connection.
    package mutating func receive(_ bytes: [UInt8]) throws(GPSDError) -> [(fix: Fix, receiver: String?)] {
        var fixes: [(fix: Fix, receiver: String?)] = []
        for line in try splitter.lines(in: bytes) {
            let report = Report(line)
            switch report {
            case .version(let major, let minor):
                guard major >= 3 else { throw .oldProtocol("\(major).\(minor)") }
                hasGreeted = true
            case _ where !hasGreeted: throw .notGPSD(GPSDError.excerpt(line))
            case .fix(let fix, let receiver): fixes.append((fix, receiver))
            case .error(let message): throw .refused(message)
            case .other: break
            case nil: ignored = ignored ?? GPSDError.excerpt(line)
            }
        }
        return fixes
    }
}

/// Splits a stream of bytes into lines, wherever the stream is cut.
package struct LineSplitter: Sendable {
    /// The longest line in bytes; gpsd's own limit for a report is 10 KiB (`GPS_JSON_RESPONSE_MAX`).
    package static let limit = 65_536

    /// The start of a line whose end has not been received.
    private var rest: [UInt8] = []

    package init() {}

    /// Returns the lines that the bytes complete, without line feeds; after an error, the stream cannot be continued.
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

/// The reason why a connection to gpsd cannot be used.
package enum GPSDError: Error, Sendable, Hashable, CustomStringConvertible {
    case lineTooLong
    case silent
    /// The first line is not gpsd's greeting; its start.
    case notGPSD(String)
    /// The protocol version is older than 3, the first with reports in JSON.
    case oldProtocol(String)
    case refused(String)

    package var description: String {
        switch self {
        case .lineTooLong: "sent a line of more than \(LineSplitter.limit) bytes"
        case .silent: "did not send its version within \(Session.greetingTime.components.seconds) seconds"
        case .notGPSD(let line): "is not gpsd: it sent '\(line)' instead of its version"
        case .oldProtocol(let version): "uses version \(version) of the protocol; version 3 or later is required"
        case .refused(let message): "reported an error: \(message)"
        }
    }

    /// Returns the start of a peer's text in printable ASCII, for messages.
    package static func excerpt(_ bytes: some Sequence<UInt8>) -> String {
        let limit = 80
        let start = bytes.prefix(limit).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: start, as: UTF8.self)
    }
}
