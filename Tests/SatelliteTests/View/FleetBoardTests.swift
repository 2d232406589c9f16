// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import Testing
import Varlink

@testable import ReveilleViewCore

/// The tiles of a fleet, and what a page that was away receives.
@Suite struct FleetBoardTests {
    private var board = FleetBoard(name: "0a1b")
    private var ledger = Ledger()

    private mutating func state(
        _ device: String, _ generation: Int64, _ aspect: String = "battery", instance: String = "one",
        value: JSON = ["level": 0.5, "plugged": false], isSynchronized: Bool = true
    ) {
        let message = StateMessage(
            instance: instance, generation: generation, changes: 0, changedAt: 1_700_000_000_000_000,
            isSynchronized: isSynchronized, value: value)
        send(message.bytes, "\(FleetTopic.root)/\(device)/state/\(aspect)")
    }

    private mutating func status(_ device: String, _ message: StatusMessage) {
        send(message.bytes, "\(FleetTopic.root)/\(device)/status")
    }

    private mutating func send(_ payload: [UInt8], _ topic: String) {
        let outcome = ledger.receive(payload, on: topic, isRetained: false, expiry: StatusMessage.lease - 60, at: 1)
        if let event = outcome.event { board.take(event, at: 1_800_000_000_000_000) }
        if let problem = outcome.problem { board.take(.problem(problem), at: 1_800_000_000_000_000) }
    }

    private func tiles(after revision: Int64) -> [String: JSONObject] {
        var found: [String: JSONObject] = [:]
        var next = revision
        while let chunk = board.changes(after: next) {
            for tile in chunk.tiles.compactMap(\.objectValue) {
                let name = tile["device"]?.stringValue ?? ""
                #expect(found.updateValue(tile, forKey: name) == nil, "\(name) came twice")
            }
            next = chunk.revision
        }
        return found
    }

    @Test("a device that changed many times while a page was away is one tile, with the difference of generations")
    mutating func oneTile() throws {
        state("kiosk-1", 40)
        state("kiosk-2", 7)
        let seen = tiles(after: 0)
        let away = board.revision
        for generation in [41, 45, 45, 44, 77] { state("kiosk-1", Int64(generation)) }
        let changed = tiles(after: away)
        #expect(Array(changed.keys) == ["kiosk-1"])
        let total = try #require(changed["kiosk-1"]?["total"]?.integerValue)
        let before = try #require(seen["kiosk-1"]?["total"]?.integerValue)
        #expect(total - before == 37)
        #expect(changed["kiosk-1"]?["merged"] == 32)
    }

    @Test("the changes of another instance are unknown, not a number") mutating func otherInstance() {
        state("kiosk-1", 40)
        state("kiosk-1", 3, instance: "two")
        let tile = tiles(after: 0)["kiosk-1"]
        #expect(tile?["unknown"] == 2 && tile?["total"] == 0 && tile?["merged"] == nil)
    }

    @Test("a duplicate does not change a tile") mutating func duplicate() {
        state("kiosk-1", 40)
        let before = board.revision
        state("kiosk-1", 40)
        #expect(board.revision == before && board.changes(after: before) == nil)
    }

    @Test("a tile has the status with the reason, and the time of it on the broker's clock") mutating func status() {
        status("kiosk-1", StatusMessage(isOnline: false, reason: .asleep, wakeEvery: 900, wakesAt: 7))
        status("kiosk-2", StatusMessage(isOnline: true, reason: .noBus))
        status("kiosk-3", StatusMessage(isOnline: false))
        let tiles = tiles(after: 0)
        #expect(tiles["kiosk-1"]?["state"] == "asleep" && tiles["kiosk-1"]?["wakeEvery"] == 900)
        #expect(tiles["kiosk-1"]?["wakesAt"] == 7)
        #expect(tiles["kiosk-1"]?["seenAt"] == .integer(1_800_000_000_000_000 - 60_000_000))
        #expect(tiles["kiosk-2"]?["state"] == "noBus" && tiles["kiosk-3"]?["state"] == "lost")
    }

    @Test("values that are invalid are not shown") mutating func invalidValues() {
        state("kiosk-1", 1, value: ["level": 7, "plugged": "yes"])
        state("kiosk-1", 1, "orientation", value: ["pose": "<script>"])
        state("kiosk-1", 1, "proximity", value: ["state": "near"])
        let tile = tiles(after: 0)["kiosk-1"]
        #expect(tile?["level"] == nil && tile?["plugged"] == nil && tile?["pose"] == nil && tile?["near"] == true)
    }

    @Test("B233: a clock that is not synchronized is a mark of the tile until it is, and no problem of the fleet")
    mutating func clock() {
        state("kiosk-1", 1, isSynchronized: false)
        let tile = tiles(after: 0)["kiosk-1"]
        #expect(tile?["clock"] == "unset" && tile?["changedAt"] == nil && tile?["problem"] == nil)
        #expect(board.problem == nil)
        state("kiosk-1", 2)
        #expect(tiles(after: 0)["kiosk-1"]?["clock"] == nil)
    }

    @Test("a tile has the value of its last change unless it is long, and all states for an open tile")
    mutating func values() throws {
        state("kiosk-1", 1)
        state("kiosk-1", 1, "orientation", value: ["pose": "faceUp"])
        state("kiosk-1", 2, "orientation", value: ["pose": "faceDown"])
        #expect(tiles(after: 0)["kiosk-1"]?["value"] == ["pose": "faceDown"])
        let long = JSON.string(String(repeating: "x", count: 2_000))
        state("kiosk-1", 1, "org.example.text", value: ["text": long])
        state("kiosk-1", 2, "org.example.text", value: ["text": long])
        let tile = tiles(after: 0)["kiosk-1"]
        #expect(tile?["aspect"] == "org.example.text" && tile?["value"] == nil)
        let device = try DeviceID("kiosk-1")
        let states = board.tiles[device]?.statesJSON.arrayValue?.compactMap(\.objectValue)
        #expect(states?.map { $0["aspect"] } == ["battery", "org.example.text", "orientation"])
        #expect(states?.map { $0["value"]?.objectValue?["text"] } == [nil, long, nil])
        send([], "\(FleetTopic.root)/kiosk-1/state/battery")
        #expect(board.tiles[device]?.statesJSON.arrayValue?.count == 2)
    }

    @Test("a device of which the broker has nothing is removed once") mutating func removal() throws {
        state("kiosk-1", 1)
        status("kiosk-1", StatusMessage(isOnline: true))
        let away = board.revision
        send([], "\(FleetTopic.root)/kiosk-1/state/battery")
        #expect(board.tiles.count == 1)
        send([], "\(FleetTopic.root)/kiosk-1/status")
        let chunk = try #require(board.changes(after: away))
        let device = try DeviceID("kiosk-1")
        #expect(chunk.tiles.isEmpty && chunk.removed == [device])
        #expect(board.tiles.isEmpty && board.changes(after: chunk.revision) == nil)
    }

    @Test("a large fleet comes in parts, and each device once") mutating func parts() {
        for number in 0..<1_000 { state("kiosk-\(number)", 1) }
        #expect(board.changes(after: 0)?.tiles.count == FleetBoard.chunk)
        #expect(tiles(after: 0).count == 1_000)
    }

    @Test("a page that is ahead, of another board, or away for too many removals reads everything anew")
    mutating func invalidPositions() {
        state("kiosk-1", 1)
        let position = board.position(at: board.revision)
        #expect(board.resume(from: position) == 1)
        #expect(board.resume(from: nil) == nil)
        #expect(board.resume(from: BoardPosition(board: "0a1b", revision: 2)) == nil)
        #expect(board.resume(from: BoardPosition(board: "0a1c", revision: 1)) == nil)
        for number in 0..<3 * FleetBoard.removalLimit {
            state("gone-\(number)", 1)
            send([], "\(FleetTopic.root)/gone-\(number)/state/battery")
        }
        #expect(board.resume(from: position) == nil)
        #expect(board.resume(from: board.position(at: board.revision)) != nil)
        #expect(tiles(after: 0).count == 1)
    }

    @Test("a board that changes often stays as small as its fleet") mutating func memory() {
        for number in 0..<10_000 { state("kiosk-\(number % 10)", Int64(number)) }
        #expect(tiles(after: 0).count == 10)
        #expect(board.log.count <= 2 * 10 + FleetBoard.removalLimit + 1)
    }

    @Test(
        "a position is the same after it was parsed, and others are refused",
        arguments: [
            ("0a1b~12", true), ("~1", false), ("0a1b", false), ("0a1b~", false), ("0a1b~-1", false),
            ("0A1b~1", false), ("0a1b~1~2", false), ("00000000000000000~1", false), ("a~99999999999999999999", false),
        ])
    func positions(text: String, isValid: Bool) {
        #expect(BoardPosition(text)?.text == (isValid ? text : nil))
    }
}
