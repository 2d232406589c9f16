// SPDX-License-Identifier: Apache-2.0

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
        var ledger = Ledger()
        ledger.connect()
        _ = ledger.take(status, of: device, isRetained: true, expiry: StatusMessage.lease - age, at: 0)
        if let battery {
            let state = StateMessage(
                instance: "a", generation: 1, changes: 0, changedAt: LedgerScene.time, value: battery)
            _ = ledger.take(state, of: device, aspect: "battery", isRetained: true, at: 0)
        }
        return FleetTable.rows(of: ledger, batteries: battery.map { [device: $0] } ?? [:], at: now)
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

    @Test("the text has the battery")
    func text() throws {
        let status = StatusMessage(isOnline: true, instance: "a", aspects: ["battery"], version: "1")
        let rows = try rows(status, age: 3, at: 5, battery: ["level": 0.41, "state": "charging"])
        let cells = try FleetTable.columns.map { $0.cell(try #require(rows.first)) }
        #expect(cells.contains("41 % charging") && cells.contains("now"))
        #expect(FleetTable.summary(rows) == "1 device: 1 online")
        #expect(FleetTable.json(rows).arrayValue?.first?.objectValue?["level"] == 0.41)
    }

    @Test("a level outside its range is unknown")
    func hostileLevel() throws {
        let rows = try rows(StatusMessage(isOnline: false), age: 0, at: 90, battery: ["level": 7, "state": 3])
        #expect(rows.first?.level == nil && rows.first?.charging == nil && rows.first?.state == .lost)
    }
}
