// SPDX-License-Identifier: Apache-2.0

/// A connection to gpsd as bytes in, fixes out.
package struct Session: Sendable {
    /// The only command: requests reports in JSON.
    package static let watch = Array(#"?WATCH={"enable":true,"json":true}"#.utf8) + [UInt8(ascii: "\n")]

    /// The time in which gpsd must send its version; a working gpsd does so on accepting a connection.
    package static let greetingTime: Duration = .seconds(10)

    /// Whether the peer has identified itself as gpsd.
    package private(set) var hasGreeted = false
    /// The start of the first line that is not a report.
    ///
    /// Such lines are ignored, because gpsd's own lines are sometimes damaged.
    package private(set) var ignored: String?
    private var splitter = LineSplitter()

    package init() {}

    /// Returns the fixes that the bytes complete, oldest first, each with the path of its receiver.
    ///
    /// - Throws: ``GPSDError``; the connection must be closed then.
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
