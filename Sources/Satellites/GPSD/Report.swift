// SPDX-License-Identifier: Apache-2.0

import Varlink

/// A report of gpsd: one line of its protocol.
package enum Report: Sendable, Hashable {
    /// The greeting (`VERSION`): the version of the protocol.
    case version(major: Int64, minor: Int64)
    /// A time-position-velocity report (`TPV`) with a fix, and the path of the receiver.
    case fix(Fix, receiver: String?)
    /// An error (`ERROR`).
    case error(String)
    /// Any other report, such as a `TPV` of a receiver without a fix.
    case other

    /// Parses a line; `nil` if it is not a report.
    package init?(_ line: [UInt8]) {
        guard let object = (try? JSON.parse(line))?.objectValue, let name = object["class"]?.stringValue else {
            return nil
        }
        switch name {
        case "VERSION":
            guard let major = object["proto_major"]?.integerValue else { return nil }
            self = .version(major: major, minor: object["proto_minor"]?.integerValue ?? 0)
        case "TPV": self = Fix(object).map { .fix($0, receiver: object["device"]?.stringValue) } ?? .other
        case "ERROR": self = .error(GPSDError.excerpt((object["message"]?.stringValue ?? "").utf8))
        default: self = .other
        }
    }
}

extension Fix {
    /// Reads a `TPV` report; `nil` without a fix, or for a position that is not on Earth.
    fileprivate init?(_ report: JSONObject) {
        func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
            report[name]?.numberValue.flatMap { range.contains($0) ? $0 : nil }
        }
        // 1e300 and the like are valid JSON, but no measurement.
        let lengths = 0...1e9
        let altitudes = -1e9...1e9
        guard let mode = report["mode"]?.integerValue.flatMap(Mode.init(gpsd:)),
            let latitude = number("lat", in: -90...90), let longitude = number("lon", in: -180...180)
        else { return nil }
        // Versions before 3.20 have only 'alt', and versions before 3.19 no 'eph'.
        let error = number("epx", in: lengths).flatMap { x in
            number("epy", in: lengths).map { (x * x + $0 * $0).squareRoot() }
        }
        self.init(
            mode: mode, latitude: latitude, longitude: longitude,
            altitude: mode == .full ? number("altMSL", in: altitudes) ?? number("alt", in: altitudes) : nil,
            speed: number("speed", in: lengths), course: number("track", in: 0...360).map { $0 == 360 ? 0 : $0 },
            accuracy: number("eph", in: lengths) ?? error, verticalAccuracy: number("epv", in: lengths),
            time: report["time"]?.stringValue.flatMap(UTCTime.microseconds))
    }
}

extension Fix.Mode {
    /// Creates a mode from gpsd's number: 0 and 1 mean that there is no fix.
    fileprivate init?(gpsd number: Int64) {
        switch number {
        case 2: self = .flat
        case 3: self = .full
        default: return nil
        }
    }
}
