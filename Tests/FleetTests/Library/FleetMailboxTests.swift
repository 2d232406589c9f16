// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import ReveilleSystem
import Testing
import Varlink

@testable import ReveilleFleet

@Suite("What a consumer has taken, and what it has dealt with")
struct FleetMailboxTests {
    private func receive(_ generation: Int64, in mailbox: FleetMailbox) throws {
        let state = StateMessage(
            instance: "a", generation: generation, changes: 0, changedAt: 1_700_000_000_000_000, value: [:])
        let topic = FleetTopic.state(try DeviceID("kiosk-7"), "battery").text
        _ = mailbox.receive(state.bytes, on: topic, isRetained: false, expiry: nil, at: 0)
    }

    @Test("the positions contain neither waiting events nor unconfirmed ones")
    func unconfirmed() throws {
        let mailbox = FleetMailbox(confirmsEvents: true)
        mailbox.connect()
        try receive(1, in: mailbox)
        _ = try mailbox.nextIfDue()
        #expect(!mailbox.positions.contains("battery"))
        mailbox.confirm()
        for generation: Int64 in 2...3 {
            try receive(generation, in: mailbox)
            _ = try mailbox.nextIfDue()
        }
        try receive(4, in: mailbox)
        #expect(mailbox.positions.contains("battery=1\n"))
        mailbox.confirm()
        #expect(mailbox.positions.contains("battery=3\n"))
    }

    @Test("the reason of a refusal is gone when the broker is reached again") func refusal() throws {
        let mailbox = FleetMailbox()
        mailbox.fail(FleetError(.refused, "not authorized"))
        #expect(throws: FleetError.self) { try mailbox.nextIfDue() }
        mailbox.connect()
        #expect(try mailbox.nextIfDue() == nil)
    }
}
