// SPDX-License-Identifier: Apache-2.0

/// A reader of dconf's databases: hash tables in the format GVDB, whose values are serialized variants.
///
/// A header refers to the root table: a Bloom filter, buckets, and an item for each name. A name is the name of the
/// item's parent, followed by the item's own part, such as `/org/gnome/desktop/interface/color-scheme`. Directories and
/// the table of locks have no values. Equal bytes are equal values, so values are not decoded.
package struct DconfDatabase {
    private static let headerLength = 24
    private static let itemLength = 24
    /// The largest total length of all names in bytes: a long name of a directory precedes each of its keys.
    private static let nameLimit = 4 << 20

    private let bytes: [UInt8]
    private let isSwapped: Bool
    private let firstItem: Int
    private let count: Int

    /// Checks the header and the bounds of the table; throws for a file of another kind, and for an empty file.
    package init(_ bytes: [UInt8]) throws(FormatError) {
        let isSwapped = bytes.starts(with: "raVGtnai".utf8)
        guard bytes.count >= Self.headerLength, isSwapped || bytes.starts(with: "GVariant".utf8) else {
            throw Self.invalid("missing header")
        }
        func word(_ place: Int) -> Int { Self.word(at: place, in: bytes, isSwapped: isSwapped) }
        guard word(8) == 0 else { throw Self.invalid("version \(word(8))") }
        let (start, end) = (word(16), word(20))
        guard start <= end, end <= bytes.count, end - start >= 8 else {
            throw Self.invalid("table from \(start) to \(end) of \(bytes.count) bytes")
        }
        // The upper bits of the first number belong to the Bloom filter's hash function.
        let (filter, buckets) = (word(start) & 0x7FF_FFFF, word(start + 4))
        firstItem = start + 8 + 4 * (filter + buckets)
        guard firstItem <= end, (end - firstItem) % Self.itemLength == 0 else {
            throw Self.invalid("\(end - start) bytes for \(filter) words, \(buckets) buckets and items")
        }
        count = (end - firstItem) / Self.itemLength
        self.bytes = bytes
        self.isSwapped = isSwapped
    }

    /// Returns the bytes of each key's value; throws if an item is not valid, or a limit of `SettingsValue` is exceeded.
    package func values() throws(FormatError) -> [String: ArraySlice<UInt8>] {
        var names = Names(count: count)
        var budget = SettingsBudget()
        var values: [String: ArraySlice<UInt8>] = [:]
        var length = 0
        for item in 0..<count where isValue(item) {
            let name = try name(of: item, &names)
            try budget.pay()
            try budget.pay(forKey: name)
            let value = try value(of: item)
            // Items that share a long value would take quadratic time.
            length += value.count
            guard length <= bytes.count else { throw Self.invalid("values overlap") }
            guard values.updateValue(value, forKey: name) == nil else {
                throw Self.invalid("item \(item) of \(count) has the name of another")
            }
        }
        return values
    }

    /// Returns the bytes of one key's value, without reading the others; `nil` if there is none.
    package func value(of key: String) throws(FormatError) -> ArraySlice<UInt8>? {
        let hash = Self.hash(of: key)
        var names = Names(count: count)
        for item in 0..<count where isValue(item) && word(at: item, 0) == hash {
            if try name(of: item, &names) == key { return try value(of: item) }
        }
        return nil
    }

    // MARK: - Items

    /// The names of directories that are known so far, each computed once.
    ///
    /// Names of keys are not kept: when they were freed, the heap had holes between the keys.
    private struct Names {
        var known: [[UInt8]?]
        var length = 0

        init(count: Int) { known = Array(repeating: nil, count: count) }
    }

    private func isValue(_ item: Int) -> Bool {
        bytes[place(of: item) + 14] == UInt8(ascii: "v")
    }

    private func name(of item: Int, _ names: inout Names) throws(FormatError) -> String {
        let name = try path(of: item, depth: 0, &names)
        guard name.first == UInt8(ascii: "/"), let text = String(validating: name, as: UTF8.self) else {
            throw Self.invalid("item \(item) of \(count) is not a path in UTF-8")
        }
        return text
    }

    /// The limit of levels also ends a loop of parents.
    private func path(of item: Int, depth: Int, _ names: inout Names) throws(FormatError) -> [UInt8] {
        try SettingsBudget.check(depth: depth)
        let parent = word(at: item, 4)
        var path: [UInt8] = []
        if parent != UInt32.max {
            guard parent < count else { throw Self.invalid("item \(item) has the parent \(parent) of \(count)") }
            if let known = names.known[parent] {
                path = known
            } else {
                path = try self.path(of: parent, depth: depth + 1, &names)
                names.known[parent] = path
            }
        }
        let (start, sizeAndType) = (word(at: item, 8), word(at: item, 12))
        path += try slice(start, start + (isSwapped ? sizeAndType >> 16 : sizeAndType & 0xFFFF), of: item)
        names.length += path.count
        guard names.length <= Self.nameLimit else { throw SettingsBudget.excess("\(Self.nameLimit) bytes of names") }
        return path
    }

    private func value(of item: Int) throws(FormatError) -> ArraySlice<UInt8> {
        try slice(word(at: item, 16), word(at: item, 20), of: item)
    }

    private func slice(_ start: Int, _ end: Int, of item: Int) throws(FormatError) -> ArraySlice<UInt8> {
        guard start <= end, end <= bytes.count else { throw Self.invalid("item \(item) of \(count) is out of bounds") }
        return bytes[start..<end]
    }

    // MARK: - Numbers

    private func place(of item: Int) -> Int {
        firstItem + item * Self.itemLength
    }

    private func word(at item: Int, _ offset: Int) -> Int {
        Self.word(at: place(of: item) + offset, in: bytes, isSwapped: isSwapped)
    }

    private static func word(at place: Int, in bytes: [UInt8], isSwapped: Bool) -> Int {
        let word = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) }
        return Int(isSwapped ? word.byteSwapped : word)
    }

    /// The hash of a name, whose bytes are signed.
    private static func hash(of name: String) -> UInt32 {
        name.utf8.reduce(5_381) { $0 &* 33 &+ UInt32(truncatingIfNeeded: Int8(bitPattern: $1)) }
    }

    private static func invalid(_ reason: String) -> FormatError {
        FormatError("not a valid database of dconf: \(reason)")
    }
}
