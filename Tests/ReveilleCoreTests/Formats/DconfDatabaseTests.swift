// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct DconfDatabaseTests {
    /// A database as text would be: items with a parent, a part of the name, a type and a value.
    private struct Sample {
        struct Item {
            var parent: UInt32 = .max
            var part: [UInt8]
            var type: Character = "v"
            var value: [UInt8] = []
        }

        var items: [Item]
        var isSwapped = false
        var filter = 0
        var buckets = 0
        var version: UInt32 = 0
        /// How far the last item's value reaches beyond its end.
        var excess: UInt32 = 0
        /// How much longer than its items the table is.
        var tail: UInt32 = 0

        init(_ items: [Item], _ change: (inout Sample) -> Void = { _ in }) {
            self.items = items
            change(&self)
        }

        private func word(_ number: UInt32) -> [UInt8] {
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            return isSwapped ? bytes.reversed() : bytes
        }

        private func half(_ number: Int) -> [UInt8] {
            let bytes = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
            return isSwapped ? bytes.reversed() : bytes
        }

        var bytes: [UInt8] {
            let header = 8 + 4 * (filter + buckets)
            let end = UInt32(24 + header + 24 * items.count)
            var bytes = Array((isSwapped ? "raVGtnai" : "GVariant").utf8)
            for number in [version, 0, 24, end + tail, UInt32(filter) | 5 << 27, UInt32(buckets)] {
                bytes += word(number)
            }
            for _ in 0..<filter + buckets { bytes += word(0) }
            var place = end
            for (number, item) in items.enumerated() {
                let path = path(of: number)
                let hash = path.reduce(UInt32(5_381)) { $0 &* 33 &+ UInt32(truncatingIfNeeded: Int8(bitPattern: $1)) }
                let value = place + UInt32(item.part.count)
                let last = value + UInt32(item.value.count)
                bytes += word(hash) + word(item.parent) + word(place) + half(item.part.count)
                bytes += [item.type.asciiValue ?? 0, 0] + word(value)
                bytes += word(number == items.count - 1 ? last &+ excess : last)
                place = last
            }
            for item in items { bytes += item.part + item.value }
            return bytes
        }

        private func path(of number: Int) -> [UInt8] {
            let item = items[number]
            guard item.parent < UInt32(number) else { return item.part }
            return path(of: Int(item.parent)) + item.part
        }
    }

    private static let items: [Sample.Item] = [
        .init(part: Array("/".utf8), type: "L"), .init(parent: 0, part: Array("é/".utf8), type: "L"),
        .init(parent: 1, part: Array("b".utf8), value: [7, 0, 121]),
        .init(parent: 1, part: Array("c".utf8), value: [0, 0, 115]),
        .init(part: Array("/top".utf8)), .init(part: Array(".locks".utf8), type: "H"),
        .init(parent: 0, part: [], type: "\0"),
    ]

    private static func failure(_ bytes: [UInt8]) -> String? {
        do {
            _ = try DconfDatabase(bytes).values()
            return nil
        } catch {
            return String(error.reason.trimmingPrefix("not a valid database of dconf: "))
        }
    }

    @Test(arguments: [false, true]) func keysAreThePathsOfValuesInEitherByteOrder(isSwapped: Bool) throws {
        let sample = Sample(Self.items) { ($0.isSwapped, $0.filter, $0.buckets) = (isSwapped, 2, 3) }
        let database = try DconfDatabase(sample.bytes)
        let values = try database.values()
        #expect(values.mapValues { Array($0) } == ["/é/b": [7, 0, 121], "/é/c": [0, 0, 115], "/top": []])
        for (key, value) in values { #expect(try database.value(of: key) == value) }
        for key in ["/", "/é/", ".locks", "/é/d", ""] { #expect(try database.value(of: key) == nil) }
    }

    @Test func databaseWithoutItemsHasNoKeys() throws {
        #expect(try DconfDatabase(Sample([]).bytes).values() == [:])
    }

    @Test func impossibleNumbersAreRefusedWithAReason() {
        func sample(_ item: Sample.Item, _ change: (inout Sample) -> Void = { _ in }) -> [UInt8] {
            Sample([item], change).bytes
        }
        let key = Sample.Item(part: Array("/a".utf8), value: [1])
        let longName = Array(repeating: UInt8(ascii: "/"), count: 60_000)
        let cases: [([UInt8], String)] = [
            ([], "missing header"), (Array("GVariant".utf8), "missing header"),
            (Array(repeating: 0, count: 8) + sample(key).dropFirst(8), "missing header"),
            (sample(key) { $0.version = 1 }, "version 1"),
            (sample(key) { $0.tail = 1 }, "33 bytes for 0 words, 0 buckets and items"),
            (sample(key) { $0.tail = 999 }, "table from 24 to 1055 of 59 bytes"),
            (sample(key) { $0.excess = 1 }, "item 0 of 1 is out of bounds"),
            (sample(.init(part: Array("/a".utf8))) { $0.excess = .max }, "item 0 of 1 is out of bounds"),
            (sample(.init(parent: 1, part: [47])), "item 0 has the parent 1 of 1"),
            (sample(.init(parent: 0, part: [47])), "more than 128 levels"),
            (Sample([.init(parent: 1, part: [47]), .init(parent: 0, part: [97])]).bytes, "more than 128 levels"),
            (sample(.init(part: [])), "item 0 of 1 is not a path in UTF-8"),
            (sample(.init(part: [97])), "item 0 of 1 is not a path in UTF-8"),
            (sample(.init(part: [47, 255])), "item 0 of 1 is not a path in UTF-8"),
            (Sample([key, key]).bytes, "item 1 of 2 has the name of another"),
            (
                Sample([.init(part: longName)] + (0..<80).map { .init(parent: 0, part: Array("\($0)".utf8)) }).bytes,
                "more than 4194304 bytes of names"
            ),
        ]
        for (bytes, reason) in cases { #expect(Self.failure(bytes) == reason) }
    }

    @Test func valuesThatOverlapAreRefused() {
        let long = Array(repeating: UInt8(1), count: 1_000)
        var bytes = Sample([.init(part: Array("/a".utf8)), .init(part: Array("/b".utf8), value: long)]).bytes
        // The first value gets the range of the second.
        bytes.replaceSubrange(32 + 16..<32 + 24, with: bytes[32 + 24 + 16..<32 + 48])
        #expect(Self.failure(bytes) == "values overlap")
    }

    @Test func everyPrefixWithoutAllValuesIsAnError() {
        let bytes = Sample(Self.items).bytes
        // The name without a value at the end is not needed.
        for count in 0..<bytes.count - ".locks".utf8.count {
            #expect(Self.failure(Array(bytes.prefix(count))) != nil, "\(count) bytes")
        }
    }

    @Test(arguments: [
        (Array("de_DE.UTF-8".utf8) + [0, 0, 115], "de_DE.UTF-8"), ([0, 0, 115], nil), ([1, 0, 0, 0, 0, 105], nil),
        ([115], nil), ([], nil),
    ])
    func regionSetsTheFormats(value: [UInt8], region: String?) throws {
        let key = Array("/org/gnome/system/locale/region".utf8)
        let variables = try GnomeLocale.variables(in: DconfDatabase(Sample([.init(part: key, value: value)]).bytes))
        #expect(variables["LC_TIME"] == region)
        #expect(Set(variables.values) == Set(region.map { [$0] } ?? []))
    }
}
