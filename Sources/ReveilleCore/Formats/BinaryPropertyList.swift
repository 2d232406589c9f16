// SPDX-License-Identifier: Apache-2.0

/// A reader of binary property lists, version `bplist0?`, as CoreFoundation's CFBinaryPList.c describes them: objects,
/// a table of their offsets, and a trailer of 32 bytes.
///
/// Foundation takes quadratic time for a dictionary: 2 s for 12,000 keys, during which the bus is blocked.
package struct BinaryPropertyList {
    /// The number of bytes of text or data that count as one value: a short list can refer to a long text many times.
    private static let bytesPerValue = 100
    private static let headerLength = 8
    private static let trailerLength = 32

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    /// The start of the table of offsets, which follows the last object.
    private let table: Int
    private var budget = SettingsBudget()

    /// Returns whether a file begins as a binary property list and has room for a trailer.
    package static func opens(_ bytes: [UInt8]) -> Bool {
        bytes.count >= headerLength + trailerLength && bytes.starts(with: "bplist".utf8)
    }

    /// Parses a file; throws if the bytes are not a valid list, or exceed the limits of `SettingsValue`.
    package static func parse(_ bytes: [UInt8]) throws(FormatError) -> SettingsValue {
        guard opens(bytes) else { throw invalid("missing header or trailer") }
        var (list, top) = try trailer(of: bytes)
        return try list.value(top, depth: 0)
    }

    private static func trailer(of bytes: [UInt8]) throws(FormatError) -> (BinaryPropertyList, top: Int) {
        let start = bytes.count - trailerLength
        func number(at place: Int) -> Int? {
            Int(exactly: bytes[start + place..<start + place + 8].reduce(0) { $0 << 8 | UInt64($1) })
        }
        let list = BinaryPropertyList(
            bytes: bytes, offsetSize: Int(bytes[start + 6]), referenceSize: Int(bytes[start + 7]),
            objectCount: number(at: 8) ?? 0, table: number(at: 24) ?? 0)
        guard (1...8).contains(list.offsetSize), (1...8).contains(list.referenceSize), let top = number(at: 16),
            (headerLength...start).contains(list.table),
            list.objectCount <= (start - list.table) / list.offsetSize
        else { throw invalid("invalid trailer") }
        return (list, top)
    }

    private static func invalid(_ reason: String) -> FormatError {
        FormatError("not a valid property list: \(reason)")
    }

    // MARK: - Objects

    private mutating func value(_ object: Int, depth: Int) throws(FormatError) -> SettingsValue {
        try budget.pay()
        return try read(object, depth: depth)
    }

    /// Reads an object: a value, or a key, which counts together with its value.
    private mutating func read(_ object: Int, depth: Int) throws(FormatError) -> SettingsValue {
        try SettingsBudget.check(depth: depth)
        guard object < objectCount else { throw Self.invalid("reference to object \(object) of \(objectCount)") }
        guard let start = unsigned(at: table + object * offsetSize, offsetSize, end: bytes.count),
            let marker = byte(at: start)
        else { throw Self.invalid("object \(object) is out of bounds") }
        guard let value = try value(marker, at: start + 1, depth) else {
            throw Self.invalid("invalid object \(object), which begins with the byte \(marker)")
        }
        return value
    }

    private mutating func value(_ marker: UInt8, at start: Int, _ depth: Int) throws(FormatError) -> SettingsValue? {
        let size = Int(marker & 0x0F)
        switch (marker >> 4, size) {
        case (0x0, 0x0): return .null
        case (0x0, 0x8): return .bool(false)
        case (0x0, 0x9): return .bool(true)
        case (0x1, 0...4): return integer(at: start, 1 << size).map { .integer($0) }
        case (0x2, 2):
            return integer(at: start, 4).map { .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: $0)))) }
        case (0x2, 3): return double(at: start).map { .real($0) }
        case (0x3, 3): return double(at: start).map { .date($0) }
        // A UID, in its XML notation; files written by an archiver begin with one.
        case (0x8, 0..<8): return integer(at: start, size + 1).map { .dictionary(["CF$UID": .integer($0)]) }
        default: return try sequence(marker >> 4, count(size, at: start), depth)
        }
    }

    private mutating func sequence(
        _ kind: UInt8, _ sequence: (count: Int, start: Int)?, _ depth: Int
    ) throws(FormatError) -> SettingsValue? {
        guard let (count, start) = sequence else { return nil }
        switch kind {
        case 0x4: return try slice(start, count).map { .data(Array($0)) }
        case 0x5:
            guard let text = try slice(start, count), text.allSatisfy({ $0 < 0x80 }) else { return nil }
            return .string(String(decoding: text, as: UTF8.self))
        case 0x6:
            guard let pairs = try slice(start, 2 * count) else { return nil }
            let units = stride(from: pairs.startIndex, to: pairs.endIndex, by: 2).lazy
                .map { UInt16(pairs[$0]) << 8 | UInt16(pairs[$0 + 1]) }
            return String(validating: units, as: UTF16.self).map { .string($0) }
        case 0xA:
            guard let objects = references(at: start, count) else { return nil }
            var values: [SettingsValue] = []
            for object in objects { values.append(try value(object, depth: depth + 1)) }
            return .array(values)
        case 0xD:
            guard let objects = references(at: start, 2 * count) else { return nil }
            var values: [String: SettingsValue] = [:]
            for (key, object) in zip(objects.prefix(count), objects.dropFirst(count)) {
                guard case .string(let name) = try read(key, depth: depth + 1) else {
                    throw Self.invalid("object \(key) is a key but not text")
                }
                try budget.pay(forKey: name)
                values[name] = try value(object, depth: depth + 1)
            }
            return .dictionary(values)
        default: return nil
        }
    }

    // MARK: - Bytes

    private func byte(at place: Int) -> UInt8? {
        (Self.headerLength..<table).contains(place) ? bytes[place] : nil
    }

    /// Returns the bytes of an object; `nil` if it is longer than the file.
    private mutating func slice(_ start: Int, _ count: Int) throws(FormatError) -> ArraySlice<UInt8>? {
        guard count <= table - start else { return nil }
        try budget.pay(count / Self.bytesPerValue)
        return bytes[start..<start + count]
    }

    /// Returns an unsigned number that fits an index.
    private func unsigned(at start: Int, _ size: Int, end: Int) -> Int? {
        guard size <= end - start else { return nil }
        return Int(exactly: bytes[start..<start + size].reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Returns an integer; integers of up to four bytes are unsigned.
    private func integer(at start: Int, _ size: Int) -> Int128? {
        guard size <= table - start else { return nil }
        let bits = bytes[start..<start + size].reduce(0) { $0 << 8 | UInt128($1) }
        return size == 8 ? Int128(Int64(truncatingIfNeeded: bits)) : Int128(truncatingIfNeeded: bits)
    }

    private func double(at start: Int) -> Double? {
        integer(at: start, 8).map { Double(bitPattern: UInt64(truncatingIfNeeded: $0)) }
    }

    /// Returns the length and the start of a sequence; lengths from 15 are an integer object before it.
    private func count(_ size: Int, at start: Int) -> (count: Int, start: Int)? {
        guard size == 0x0F else { return (size, start) }
        guard let marker = byte(at: start), marker & 0xF0 == 0x10, marker & 0x0F <= 3 else { return nil }
        let length = 1 << Int(marker & 0x0F)
        // Limited to the number of bytes, so sizes computed from it cannot overflow.
        guard let count = unsigned(at: start + 1, length, end: table), count <= bytes.count else { return nil }
        return (count, start + 1 + length)
    }

    private func references(at start: Int, _ count: Int) -> [Int]? {
        guard count * referenceSize <= table - start else { return nil }
        let places = stride(from: start, to: start + count * referenceSize, by: referenceSize)
        let objects = places.compactMap { unsigned(at: $0, referenceSize, end: table) }
        return objects.count == count ? objects : nil
    }
}
