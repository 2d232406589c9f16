// SPDX-License-Identifier: Apache-2.0

/// The reason why a connection to gpsd cannot be used.
package enum GPSDError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A line has no end within ``LineSplitter/limit``.
    case lineTooLong
    /// Nothing was received within ``Session/greetingTime``.
    case silent
    /// The first line is not gpsd's greeting; its start.
    case notGPSD(String)
    /// The protocol version is older than 3, the first with reports in JSON.
    case oldProtocol(String)
    /// gpsd reported an error; its message.
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
}

extension GPSDError {
    /// Returns the start of a peer's text in printable ASCII, for messages.
    package static func excerpt(_ bytes: some Sequence<UInt8>) -> String {
        let limit = 80
        let start = bytes.prefix(limit).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: start, as: UTF8.self)
    }
}
