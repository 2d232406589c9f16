// SPDX-License-Identifier: Apache-2.0

extension TimeZoneFooter {
    /// Parses a footer, without the line ends around it; throws for anything but a `TZ` string with complete rules.
    init(_ bytes: ArraySlice<UInt8>) throws(FormatError) {
        var scanner = Scanner(rest: bytes)
        try scanner.skipName()
        standard = try scanner.offset()
        guard !scanner.rest.isEmpty else { return }
        try scanner.skipName()
        let offset = scanner.rest.first == UInt8(ascii: ",") ? standard + 3_600 : try scanner.offset()
        guard TimeZoneRules.offsets.contains(offset) else { throw Scanner.invalid("offset of daylight saving time") }
        let (start, end) = (try scanner.change(), try scanner.change())
        guard scanner.rest.isEmpty else { throw Scanner.invalid("text after the rules") }
        daylight = Daylight(offset: offset, start: start, end: end)
    }

    private struct Scanner {
        var rest: ArraySlice<UInt8>

        static func invalid(_ part: String) -> FormatError {
            FormatError("invalid footer: \(part)")
        }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest = rest.dropFirst()
            return true
        }

        /// Skips an abbreviation: at least three letters, or letters, digits and signs in angle brackets.
        mutating func skipName() throws(FormatError) {
            let isQuoted = skip("<")
            let name = rest.prefix { byte in
                byte.isLetter || isQuoted && (byte.isDigit || [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(byte))
            }
            rest = rest[name.endIndex...]
            guard name.count >= 3, !isQuoted || skip(">") else { throw Self.invalid("name of a time") }
        }

        /// Reads `[+-]hh[:mm[:ss]]`; positive is west of Greenwich.
        mutating func offset() throws(FormatError) -> Int {
            let seconds = try time(hours: 24, "offset")
            return -seconds
        }

        /// Reads `,date[/time]`.
        mutating func change() throws(FormatError) -> Change {
            guard skip(",") else { throw Self.invalid("dates of daylight saving time are missing") }
            var change = Change(day: try day())
            // RFC 8536 allows times up to a week away, so that a rule can name a day before or after a weekday.
            if skip("/") { change.time = try time(hours: 167, "time of a change") }
            return change
        }

        private mutating func day() throws(FormatError) -> Day {
            if skip("J") { return .withoutLeapDay(try number(1...365, "day of the year")) }
            guard skip("M") else { return .ofYear(try number(0...365, "day of the year")) }
            let month = try number(1...12, "month")
            guard skip(".") else { throw Self.invalid("week") }
            let week = try number(1...5, "week")
            guard skip(".") else { throw Self.invalid("weekday") }
            return .ofMonth(month, week: week, weekday: try number(0...6, "weekday"))
        }

        private mutating func time(hours: Int, _ part: String) throws(FormatError) -> Int {
            let isNegative = skip("-")
            if !isNegative { _ = skip("+") }
            var seconds = try number(0...hours, part) * 3_600
            if skip(":") {
                seconds += try number(0...59, part) * 60
                if skip(":") { seconds += try number(0...59, part) }
            }
            return isNegative ? -seconds : seconds
        }

        private mutating func number(_ range: ClosedRange<Int>, _ part: String) throws(FormatError) -> Int {
            // Three digits suffice for every range.
            let digits = rest.prefix(4).prefix(while: \.isDigit)
            let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            guard (1...3).contains(digits.count), range.contains(value) else { throw Self.invalid(part) }
            rest = rest[digits.endIndex...]
            return value
        }
    }
}

extension TimeZoneRules {
    /// Creates rules without a table from a `TZ` string of POSIX, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
    package init(posix text: String) throws(FormatError) {
        let footer = try TimeZoneFooter(Array(text.utf8)[...])
        self.init(initialOffset: footer.standard)
        self.continue(with: footer, from: nil)
    }
}
