// SPDX-License-Identifier: Apache-2.0

import Glibc
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
    /// The modes by gpsd's numbers, of which 0 and 1 mean that there is no fix.
    private static let modes: [Int64: Mode] = [2: .flat, 3: .full]

    /// Reads a `TPV` report; `nil` without a fix, or for a position that is not on Earth.
    fileprivate init?(_ report: JSONObject) {
        func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
            report[name]?.numberValue.flatMap { range.contains($0) ? $0 : nil }
        }
        // 1e300 and the like are valid JSON, but no measurement.
        let lengths = 0...1e9
        let altitudes = -1e9...1e9
        guard let mode = report["mode"]?.integerValue.flatMap({ Self.modes[$0] }),
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

/// Times as gpsd writes them: `2026-06-01T12:00:01.250Z`.
enum UTCTime {
    /// Returns the microseconds since 1970; `nil` for text of another form.
    static func microseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        let pattern = Array("0000-00-00T00:00:00".utf8)
        guard bytes.count > pattern.count, bytes.last == UInt8(ascii: "Z") else { return nil }
        var numbers: [Int32] = [0]
        for (byte, expected) in zip(bytes, pattern) {
            if expected == UInt8(ascii: "0") {
                guard let digit = digit(byte) else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + digit
            } else {
                guard byte == expected else { return nil }
                numbers.append(0)
            }
        }
        guard let fraction = fraction(bytes[pattern.count..<bytes.count - 1]), (1...12).contains(numbers[1]),
            (1...31).contains(numbers[2]), numbers[3] < 24, numbers[4] < 60, numbers[5] < 61
        else { return nil }
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (numbers[3], numbers[4], numbers[5])
        return Int64(timegm(&fields)) * 1_000_000 + fraction
    }

    /// Returns the microseconds that a fraction of a second such as `.25` stands for; 0 for no fraction.
    private static func fraction(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard let point = bytes.first else { return 0 }
        guard point == UInt8(ascii: "."), bytes.count > 1 else { return nil }
        var unit: Int64 = 100_000
        var sum: Int64 = 0
        for byte in bytes.dropFirst() {
            guard let digit = digit(byte) else { return nil }
            sum += Int64(digit) * unit
            unit /= 10
        }
        return sum
    }

    private static func digit(_ byte: UInt8) -> Int32? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int32(byte - UInt8(ascii: "0")) : nil
    }
}
