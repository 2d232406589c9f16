// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleFleetCore
import Testing
import Varlink

@Suite("The table of a fleet")
struct FleetTableTests {
    private func rows(
        _ status: StatusMessage, age: UInt32, at now: Int64, battery: JSON? = nil
    ) throws
        -> [FleetTable.Row]
    {
        let device = try DeviceID("kiosk-7")
        var (ledger, table) = (Ledger(), FleetTable())
        ledger.connect()
        _ = ledger.take(status, of: device, isRetained: true, expiry: StatusMessage.lease - age, at: 0)
        if let battery {
            let state = StateMessage(
                instance: "a", generation: 1, changes: 0, changedAt: LedgerScene.time, value: battery)
            if let event = ledger.take(state, of: device, aspect: "battery", isRetained: true, at: 0).event {
                table.take(event)
            }
        }
        return table.rows(of: ledger, at: now)
    }

    @Test("a sleeper is overdue after twice its pause on the broker's clock")
    func overdue() throws {
        let asleep = StatusMessage(isOnline: false, reason: .asleep, wakeEvery: 900)
        #expect(try rows(asleep, age: 1_000, at: 700).first?.state == .asleep)
        #expect(try rows(asleep, age: 1_000, at: 801).first?.state == .overdue)
        #expect(try rows(asleep, age: 1_000, at: 801).first?.lastSeen == 1_801)
        let endless = StatusMessage(isOnline: false, reason: .asleep, wakeEvery: .max)
        #expect(try rows(endless, age: 1_000, at: 801).first?.state == .asleep)
    }

    @Test("the text has the battery, escapes what a device says, and fits a width")
    func text() throws {
        let status = StatusMessage(isOnline: true, instance: "a", aspects: ["battery"], version: "1\u{1B}[2J")
        let rows = try rows(status, age: 3, at: 5, battery: ["level": 0.41, "state": "charging"])
        let lines = FleetTable.lines(rows)
        #expect(lines.count == 2 && lines[1].contains("41 % charging") && lines[1].contains("now"))
        #expect(!lines[1].unicodeScalars.contains("\u{1B}"))
        #expect(FleetTable.lines(rows, width: 20).allSatisfy { $0.count <= 20 })
        #expect(FleetTable.summary(rows) == "1 device: 1 online")
        #expect(FleetTable.json(rows).arrayValue?.first?.objectValue?["level"] == 0.41)
    }

    @Test("a level outside its range is unknown")
    func hostileLevel() throws {
        let rows = try rows(StatusMessage(isOnline: false), age: 0, at: 90, battery: ["level": 7, "state": 3])
        #expect(rows.first?.level == nil && rows.first?.charging == nil && rows.first?.state == .lost)
    }
}
