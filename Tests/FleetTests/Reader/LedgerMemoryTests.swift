// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleFleetCore
import Testing

@Suite("The memory of a reader")
struct LedgerMemoryTests {
    /// Three times what a ledger needs, since other tests run in this process.
    private static let limit = 1_000

    @Test("a hundred thousand devices with five aspects each take less than 1 KB an aspect")
    func memory() throws {
        let aspects = ["battery", "locale", "orientation", "power", "proximity"]
        let before = try Self.residentMemory()
        var ledger = Ledger()
        ledger.connect()
        for number in 0..<100_000 {
            let device = try DeviceID("kiosk-in-a-shop-with-a-name-\(number)")
            let instance = "0123456789abcdef0123456789\(number)"
            _ = ledger.take(
                StatusMessage(isOnline: true, instance: instance, aspects: aspects, version: "0.9.0"), of: device,
                expiry: StatusMessage.lease, at: 0)
            for aspect in aspects {
                let position = FleetPosition(instance: instance, generation: Int64(number))
                _ = ledger.resume(position, of: aspect, of: device)
            }
        }
        let after = try Self.residentMemory()
        let each = withExtendedLifetime(ledger) { (after - before) / ledger.stateCount }
        #expect(each < Self.limit, "\(each) bytes")
    }

    private static func residentMemory() throws -> Int {
        let file = try #require(fopen("/proc/self/statm", "r"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        _ = try #require(fgets(&line, CInt(line.count), file))
        let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
            separator: " ")
        return try #require(Int(words[1])) * Int(getpagesize())
    }
}
