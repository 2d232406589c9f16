// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// Reads a binary property list, version `bplist0?`, as CoreFoundation's CFBinaryPList.c describes it: objects,
/// a table of where they begin, and a trailer of 32 bytes.
///
/// Foundation reads it too, but a table takes it the square of its keys: 2 s for 12,000, on the one thread that
/// everybody waits for. Here it is once through what is named.
struct BinaryPropertyList {
    /// How many bytes of text or data cost as much as one value: a list of 100 bytes may name a long text many times.
    private static let bytesPerValue = 100
    private static let headerLength = 8
    private static let trailerLength = 32

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    /// Where the table of offsets begins: behind the last object.
    private let table: Int
    private var budget = SettingsBudget()

    /// Says whether the bytes begin as one does, and are long enough.
    static func opens(_ bytes: [UInt8]) -> Bool {
        bytes.count >= headerLength + trailerLength && bytes.starts(with: "bplist".utf8)
    }

    /// Reads the value that the list is of.
    ///
    /// - Throws: `FileProblem` when the bytes are none, or deeper or longer than what is read.
    static func parse(_ bytes: [UInt8]) throws(FileProblem) -> SettingsValue {
        guard opens(bytes) else { throw invalid("its header or trailer is missing") }
        var (list, top) = try trailer(of: bytes)
        return try list.value(top, depth: 0)
    }

    private static func trailer(of bytes: [UInt8]) throws(FileProblem) -> (BinaryPropertyList, top: Int) {
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
        else { throw invalid("its trailer names what is not there") }
        return (list, top)
    }

    private init(bytes: [UInt8], offsetSize: Int, referenceSize: Int, objectCount: Int, table: Int) {
        self.bytes = bytes
        self.offsetSize = offsetSize
        self.referenceSize = referenceSize
        self.objectCount = objectCount
        self.table = table
    }

    private static func invalid(_ reason: String) -> FileProblem {
        FileProblem(reason: "not a valid property list: \(reason)")
    }

    // MARK: - Objects

    private mutating func value(_ object: Int, depth: Int) throws(FileProblem) -> SettingsValue {
        try budget.pay()
        return try read(object, depth: depth)
    }

    /// Reads an object: a value, or the key of one, which counts as one with it.
    private mutating func read(_ object: Int, depth: Int) throws(FileProblem) -> SettingsValue {
        try SettingsBudget.check(depth: depth)
        guard object < objectCount else { throw Self.invalid("object \(object) of \(objectCount) is named") }
        guard let start = unsigned(at: table + object * offsetSize, offsetSize, end: bytes.count),
            let marker = byte(at: start)
        else { throw Self.invalid("object \(object) is beyond its end") }
        guard let value = try value(marker, at: start + 1, depth) else {
            throw Self.invalid("object \(object) begins with the byte \(marker) and makes no sense")
        }
        return value
    }

    private mutating func value(_ marker: UInt8, at start: Int, _ depth: Int) throws(FileProblem) -> SettingsValue? {
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
        // As the notation in XML has it, with which files of archives begin.
        case (0x8, 0..<8): return integer(at: start, size + 1).map { .dictionary(["CF$UID": .integer($0)]) }
        default: return try sequence(marker >> 4, count(size, at: start), depth)
        }
    }

    private mutating func sequence(
        _ kind: UInt8, _ sequence: (count: Int, start: Int)?, _ depth: Int
    ) throws(FileProblem) -> SettingsValue? {
        guard let (count, start) = sequence else { return nil }
        switch kind {
        case 0x4: return try slice(start, count).map { .data(Array($0)) }
        case 0x5:
            guard let text = try slice(start, count), text.allSatisfy({ $0 < 0x80 }) else { return nil }
            return .string(String(decoding: text, as: UTF8.self))
        case 0x6:
            let pairs = try slice(start, 2 * count)
            return pairs.flatMap { String(validating: UnitsOfPairs(bytes: $0), as: UTF16.self) }.map { .string($0) }
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
                    throw Self.invalid("object \(key) is a key and no text")
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

    /// The bytes of an object, if they are all there.
    private mutating func slice(_ start: Int, _ count: Int) throws(FileProblem) -> ArraySlice<UInt8>? {
        guard count <= table - start else { return nil }
        try budget.pay(count / Self.bytesPerValue)
        return bytes[start..<start + count]
    }

    /// A number without a sign that an index can be.
    private func unsigned(at start: Int, _ size: Int, end: Int) -> Int? {
        guard size <= end - start else { return nil }
        return Int(exactly: bytes[start..<start + size].reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// A whole number: up to four bytes have no sign.
    private func integer(at start: Int, _ size: Int) -> Int128? {
        guard size <= table - start else { return nil }
        let bits = bytes[start..<start + size].reduce(0) { $0 << 8 | UInt128($1) }
        return size == 8 ? Int128(Int64(truncatingIfNeeded: bits)) : Int128(truncatingIfNeeded: bits)
    }

    private func double(at start: Int) -> Double? {
        integer(at: start, 8).map { Double(bitPattern: UInt64(truncatingIfNeeded: $0)) }
    }

    /// How long a sequence is, and where it begins: lengths from 15 on are a whole number in front of it.
    private func count(_ size: Int, at start: Int) -> (count: Int, start: Int)? {
        guard size == 0x0F else { return (size, start) }
        guard let marker = byte(at: start), marker & 0xF0 == 0x10, marker & 0x0F <= 3 else { return nil }
        let length = 1 << Int(marker & 0x0F)
        // No more than there are bytes, so that what is counted in it cannot overflow.
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

/// Pairs of bytes as UTF-16, the high one first.
private struct UnitsOfPairs: Sequence {
    let bytes: ArraySlice<UInt8>

    func makeIterator() -> some IteratorProtocol<UInt16> {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).lazy
            .map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }.makeIterator()
    }
}
