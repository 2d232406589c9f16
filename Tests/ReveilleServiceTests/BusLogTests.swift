// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleService
import ReveilleWire
import Testing
import Varlink

@Suite struct BusLogTests {
    private static func change(_ reading: Reading, _ number: Int) -> UnloggedChange {
        let time = Timestamp(microseconds: Int64(number))
        let event = Event(
            reading: reading, generation: number, sequence: number, changeCount: 1, isNetChange: true,
            firstChangedAt: time, changedAt: time, droppedCount: 0, settings: [])
        return (event, false, nil)
    }

    private static func value(of name: Aspect, length: Int) -> Reading {
        .published(PublishedValue(name, ["text": .string(String(repeating: "x", count: length))]))
    }

    private static func count(_ aspect: Aspect, in log: BusLog) throws -> Int {
        try log.lines.count { line in
            try JSON.parse(line.text).objectValue?["event"]?.objectValue?["aspect"]?.stringValue == aspect.name
        }
    }

    @Test("the log is bounded, and publishers displace each other before the device, and the noisy ones first")
    func logIsBounded() throws {
        var log = BusLog()
        var number = 0
        func add(_ reading: Reading) {
            number += 1
            log.add([Self.change(reading, number)], [])
        }
        for _ in 0..<200 { add(.proximity(.near)) }
        for _ in 0..<20 { add(Self.value(of: "org.example.calm", length: 100)) }
        for _ in 0..<2_000 {
            add(Self.value(of: "org.example.noisy", length: 4_000))
            let size = log.lines.reduce(0) { $0 + $1.text.count }
            try #require(size <= BusLog.limit)
        }
        #expect(try Self.count(.proximity, in: log) == 200)
        #expect(try Self.count("org.example.calm", in: log) > 8)
        #expect(try Self.count("org.example.noisy", in: log) > 8)
        // Names that come and go.
        for name in 0..<4_000 { add(Self.value(of: try #require(Aspect("org.example.n\(name)")), length: 300)) }
        #expect(try Self.count(.proximity, in: log) == 200)
        #expect(log.lines.reduce(0) { $0 + $1.text.count } <= BusLog.limit)
    }

    @Test("a change that is longer than any line is logged without its state") func longStateIsLeftOut() throws {
        var log = BusLog()
        log.add([Self.change(Self.value(of: "org.example.long", length: 2 * BusLog.lineLimit), 1)], [])
        #expect(try Self.count("org.example.long", in: log) == 1)
        #expect(log.lines.allSatisfy { $0.text.count <= BusLog.lineLimit })
    }
}
