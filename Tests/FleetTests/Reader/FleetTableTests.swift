// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleetCore
import Testing
import Varlink

@Suite("The table of a fleet")
struct FleetTableTests {
    private func rows(
        _ status: StatusMessage, age: UInt32, battery: JSON? = nil, at now: Timestamp = Timestamp(microseconds: 0)
    ) throws -> [FleetTable.Row] {
        let device = try DeviceID("kiosk-7")
        var ledger = Ledger()
        ledger.connect()
        var statuses: [DeviceID: DeviceStatus] = [:]
        var states: [DeviceID: [String: DeviceEvent]] = [:]
        let outcome = ledger.take(status, of: device, expiry: StatusMessage.lease - age, at: 0)
        if case .status(let status) = outcome.event { statuses[device] = status }
        if let battery {
            let state = StateMessage(
                instance: "a", generation: 1, changes: 0, changedAt: LedgerScene.time, value: battery)
            let outcome = ledger.take(state, of: device, aspect: "battery", isRetained: true, at: 0)
            if case .state(let state) = outcome.event { states[device] = ["battery": state] }
        }
        return FleetTable.rows(statuses: statuses, states: states, at: now)
    }

    @Test("a sleeper is overdue after twice its pause on the broker's clock")
    func overdue() throws {
        let asleep = StatusMessage(isOnline: false, reason: .asleep, wakeEvery: 900)
        #expect(try rows(asleep, age: 1_799).first?.state == .asleep)
        #expect(try rows(asleep, age: 1_800).first?.state == .overdue)
        #expect(try rows(asleep, age: 1_800).first?.lastSeen == 1_800)
        let endless = StatusMessage(isOnline: false, reason: .asleep, wakeEvery: .max)
        #expect(try rows(endless, age: 1_801).first?.state == .asleep)
    }

    @Test("a sleeper with an alarm is overdue five minutes after it")
    func overdueAfterAlarm() throws {
        let asleep = StatusMessage(isOnline: false, reason: .asleep, wakesAt: 1_000_000_000)
        let late = Timestamp(microseconds: 1_000_000_000) + .seconds(300)
        #expect(try rows(asleep, age: 9_000_000, at: late).first?.state == .asleep)
        #expect(try rows(asleep, age: 0, at: late + .microseconds(1)).first?.state == .overdue)
        let endless = StatusMessage(isOnline: false, reason: .asleep, wakesAt: .max)
        #expect(try rows(endless, age: 0, at: Timestamp(microseconds: .max)).first?.state == .asleep)
    }

    @Test("the text has the battery")
    func text() throws {
        let status = StatusMessage(isOnline: true, instance: "a", aspects: ["battery"], version: "1")
        let rows = try rows(status, age: 3, battery: ["level": 0.41, "state": "charging"])
        let cells = try FleetTable.columns.map { $0.cell(try #require(rows.first)) }
        #expect(cells.contains("charging, 41%") && cells.contains("now"))
        #expect(FleetTable.summary(rows) == "1 device: 1 online")
        #expect(FleetTable.json(rows).arrayValue?.first?.objectValue?["level"] == 0.41)
    }

    @Test("a level outside its range is unknown")
    func hostileLevel() throws {
        let rows = try rows(StatusMessage(isOnline: false), age: 0, battery: ["level": 7, "state": 3])
        #expect(rows.first?.level == nil && rows.first?.charging == nil && rows.first?.state == .lost)
    }
}
