// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import Testing
import Varlink

@Suite("What is desired of a fleet, and whether it is applied")
struct DesiredTableTests {
    private static let name = "org.example.mode"
    private let device: DeviceID

    init() throws { device = try DeviceID("kiosk-7") }

    private func position(_ generation: Int64, _ instance: String = "s") -> FleetPosition {
        FleetPosition(instance: instance, generation: generation)
    }

    private func status(
        _ taken: [String: FleetPosition]?, isOnline: Bool = true, reason: StatusMessage.Reason? = nil
    ) -> StatusMessage {
        StatusMessage(isOnline: isOnline, reason: reason, taken: taken)
    }

    @Test("a value is taken when the device names it or a later one, wherever the device is now")
    func taken() {
        let change = DesiredChange(device, Self.name, position(3))
        #expect(change.outcome(status([Self.name: position(3)])) == .taken)
        #expect(change.outcome(status([Self.name: position(4)], isOnline: false, reason: .asleep)) == .taken)
        for taken in [[:], [Self.name: position(2)], [Self.name: position(9, "other")]] {
            #expect(change.outcome(status(taken)) == .refused)
            #expect(change.outcome(status(taken, isOnline: false, reason: .asleep)) == .later(.asleep))
            #expect(change.outcome(status(taken, reason: .noBus)) == .later(.noBus))
        }
        #expect(change.outcome(status(nil)) == .unreported)
        #expect(change.outcome(status(nil, isOnline: false)) == .later(.lost))
        #expect(change.outcome(nil) == .noDevice)
        #expect(DesiredChange(device, Self.name, nil).outcome(status([:])) == .unreported)
    }

    @Test("a deletion is taken when the device no longer names the value, or names the one of a group")
    func deletion() {
        let change = DesiredChange(device, Self.name, position(3), isDeletion: true)
        #expect(change.outcome(status([:])) == .taken)
        #expect(change.outcome(status([Self.name: position(1, "group")])) == .taken)
        #expect(change.outcome(status([Self.name: position(3)])) == .refused)
        #expect(change.outcome(status(nil)) == .unreported)
    }

    @Test("a status is the same after it was encoded and decoded, and one of an older device has no list of values")
    func coding() throws {
        let message = status([Self.name: position(3)])
        #expect(try StatusMessage(message.bytes) == message)
        #expect(try StatusMessage(status([:]).bytes).taken == [:])
        #expect(try StatusMessage(Array(#"{"online":true}"#.utf8)).taken == nil)
    }

    @Test("rows are devices and groups with what they have taken; a selection has only groups that reach it")
    func rows() throws {
        func desired(_ generation: Int64, _ instance: String) -> [UInt8] {
            DesiredMessage(
                instance: instance, generation: generation, changedAt: nil, value: ["n": .integer(generation)]
            ).bytes
        }
        let shop = try DeviceID("shop-1")
        let contents = [
            FleetTopic.desired(device, Self.name).text: desired(3, "s"),
            FleetTopic.groupDesired("shops", Self.name).text: desired(5, "g"),
            FleetTopic.desired(shop, "org.example.plain").text: Array(#"{"a":1}"#.utf8),
            FleetTopic.status(device).text: status([Self.name: position(3)]).bytes,
            FleetTopic.status(shop).text: status([Self.name: position(5, "g")]).bytes,
            FleetTopic.desired(device, "org.example.broken").text: [0x5B],
        ]
        let rows = DesiredTable.rows(contents)
        #expect(
            rows.map(\.target) == [
                .group("shops", takenBy: [shop]), .device(device, .taken), .device(shop, .unreported),
            ])
        #expect(DesiredTable.rows(contents) { $0 == device }.map(\.target) == [.device(device, .taken)])
        #expect(DesiredTable.rows(contents) { $0 == shop }.count == 2)
        let cells = rows.map { row in DesiredTable.columns.map { $0.cell(row) } }
        #expect(cells.first == ["group shops", Self.name, "by 1 device", #"{"n":5}"#])
        #expect(cells.last == ["shop-1", "org.example.plain", "unknown", #"{"a":1}"#])
        let json = DesiredTable.json(rows).arrayValue?.compactMap(\.objectValue)
        #expect(json?.map { $0["applied"] } == [nil, true, .null])
        #expect(json?.first?["appliedBy"] == ["shop-1"])
    }
}
