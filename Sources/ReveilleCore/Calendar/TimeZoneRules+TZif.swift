// SPDX-License-Identifier: Apache-2.0

extension TimeZoneRules {
    /// The largest file that is read: 64 KiB, sixteen times as much as the largest file of the tz database.
    package static let sizeLimit = 64 << 10

    /// Reads a TZif file (tzfile(5), RFC 8536) of any version.
    ///
    /// - Throws: `FormatError` for a file that is cut or contradictory, or has leap seconds, which the system clock
    ///   does not count.
    package init(tzif bytes: [UInt8]) throws(FormatError) {
        let header = try TZifHeader(bytes, at: 0, timeSize: 4)
        guard header.version != 0 else {
            self = try Self.table(bytes, header).rules
            return
        }
        // The first table has times of 32 bits, for readers of version 1.
        let wide = try TZifHeader(bytes, at: header.end, timeSize: 8)
        var (rules, last) = try Self.table(bytes, wide)
        if let footer = try Self.footer(bytes[wide.end...]), last ?? 0 <= Self.horizon {
            rules.continue(with: footer, from: last)
        }
        self = rules
    }

    /// Reads a table, and its last time, even if the offset does not change then.
    private static func table(
        _ bytes: [UInt8], _ header: TZifHeader
    ) throws(FormatError) -> (
        rules: TimeZoneRules, last: Int?
    ) {
        guard header.leapSecondCount == 0 else {
            throw FormatError("has leap seconds, which the system clock does not count; use the zone without 'right/'")
        }
        guard (1...256).contains(header.typeCount) else { throw FormatError("has \(header.typeCount) types of time") }
        var offsets: [Int] = []
        for type in 0..<header.typeCount {
            let offset = bytes.integer(at: header.types + type * TZifHeader.typeSize, size: 4)
            guard Self.offsets.contains(offset) else { throw FormatError("has an offset of \(offset) seconds") }
            offsets.append(offset)
        }
        var rules = TimeZoneRules(initialOffset: offsets[0])
        var last: Int?
        for index in 0..<header.timeCount {
            let time = bytes.integer(at: header.times + index * header.timeSize, size: header.timeSize)
            guard time > last ?? Int.min else { throw FormatError("has times that are not in ascending order") }
            let type = Int(bytes[header.typeIndices + index])
            guard type < offsets.count else { throw FormatError("refers to type \(type) of \(offsets.count)") }
            last = time
            if time < -horizon {
                // Some files begin with the Big Bang.
                rules = TimeZoneRules(initialOffset: offsets[type])
            } else if time <= horizon {
                rules.change(to: offsets[type], at: time)
            }
        }
        return (rules, last)
    }

    /// Reads the line after the tables; `nil` if it is empty, and the last offset remains.
    private static func footer(_ bytes: ArraySlice<UInt8>) throws(FormatError) -> TimeZoneFooter? {
        let newline = UInt8(ascii: "\n")
        guard bytes.first == newline, let end = bytes.dropFirst().firstIndex(of: newline) else {
            throw FormatError("ends in the footer")
        }
        let line = bytes[bytes.startIndex + 1..<end]
        return line.isEmpty ? nil : try TimeZoneFooter(line)
    }
}

/// A header of a TZif file, and where the parts of the table after it are.
private struct TZifHeader {
    private static let size = 44
    static let typeSize = 6

    /// 0 for version 1, otherwise the digit of the version.
    let version: UInt8
    /// The number of bytes of a time.
    let timeSize: Int
    let leapSecondCount: Int
    let timeCount: Int
    let typeCount: Int
    /// Where the times begin.
    let times: Int
    /// Where the index of the type of each time begins.
    var typeIndices: Int { times + timeCount * timeSize }
    var types: Int { typeIndices + timeCount }
    let end: Int

    init(_ bytes: [UInt8], at start: Int, timeSize: Int) throws(FormatError) {
        guard bytes.dropFirst(start).starts(with: "TZif".utf8) else {
            throw FormatError(start == 0 ? "is not a TZif file" : "has no table of 64-bit times")
        }
        guard bytes.count >= start + Self.size else { throw FormatError("ends in a header") }
        func count(_ position: Int) -> Int {
            bytes.integer(at: start + 20 + 4 * position, size: 4) & 0xFFFF_FFFF
        }
        version = bytes[start + 4]
        self.timeSize = timeSize
        leapSecondCount = count(2)
        timeCount = count(3)
        typeCount = count(4)
        times = start + Self.size
        let rest = typeCount * Self.typeSize + count(5) + leapSecondCount * (timeSize + 4) + count(1) + count(0)
        end = times + timeCount * (timeSize + 1) + rest
        guard end <= bytes.count else { throw FormatError("ends in a table of \(timeCount) times") }
    }
}

extension [UInt8] {
    /// Returns a signed integer, most significant byte first.
    fileprivate func integer(at start: Int, size: Int) -> Int {
        let bits = self[start..<start + size].reduce(0) { $0 << 8 | UInt64($1) }
        return size == 4 ? Int(Int32(truncatingIfNeeded: bits)) : Int(truncatingIfNeeded: bits)
    }
}
