// SPDX-License-Identifier: Apache-2.0

package import ReveilleFleetCore
package import Varlink

/// The tiles of a fleet, one a device, and the tiles that a page has not seen.
///
/// Each change has a number. A tile has only the number of its last change, so a page that was away receives each tile
/// once, however often it changed.
///
/// Pure.
package struct FleetBoard: Sendable {
    /// The most tiles in one event, so that a page shows the first tiles of a large fleet at once.
    package static let chunk = 200
    /// The most removed devices to remember; a page that misses more removals reads everything anew.
    static let removalLimit = 1_000

    /// Whether the fleet can be read.
    package enum Link: Sendable, Hashable {
        case reading
        /// Everything has been read, and changes follow.
        case live
        /// The broker is out of reach, for a reason; further attempts follow.
        case lost(String)
        /// The reader has given up, for a reason; the next page starts it again.
        case ended(String)
    }

    /// A part of the changes that a page has not seen.
    package struct Chunk: Sendable {
        package var tiles: [JSON] = []
        package var removed: [DeviceID] = []
        /// The number of the last change in it.
        package var revision: Int64
    }

    /// A change in the log; obsolete if its device has changed again.
    struct Entry {
        var revision: Int64
        var device: DeviceID
    }

    package let name: String
    package var link = Link.reading
    package var problem: String? { fleetProblem?.text }
    package private(set) var revision: Int64 = 0
    package private(set) var tiles: [DeviceID: FleetTile] = [:]

    private var fleetProblem: BoardProblem?
    private var removals: [DeviceID: Int64] = [:]
    private(set) var log: [Entry] = []
    /// The number of the last forgotten removal.
    private var forgotten: Int64 = 0

    package init(name: String) { self.name = name }

    /// Takes an event at a time in microseconds since 1970, UTC.
    package mutating func take(_ event: FleetEvent, at now: Int64) {
        if fleetProblem?.isOld(at: now) == true { fleetProblem = nil }
        switch event {
        case .state(let event): change(event.device, at: now) { $0.take(event) }
        case .status(let status): change(status.device, at: now) { $0.take(status, at: now) }
        case .removed(let removal) where tiles[removal.device] != nil:
            change(removal.device, at: now) { $0.remove(removal.aspect) }
        case .caughtUp:
            link = .live
            for (device, tile) in tiles where tile.problems.contains(where: { $0.isOld(at: now) }) {
                change(device, at: now) { $0.problems.removeAll { $0.isOld(at: now) } }
            }
        // A mark of the tile, which has states without a time.
        case .problem(.unknownTime): break
        case .problem(let problem):
            let problem = BoardProblem(problem, at: now)
            // A problem alone makes no tile: the broker has nothing about such a device.
            guard let device = problem.device, tiles[device] != nil else {
                fleetProblem = problem
                return
            }
            change(device, at: now) { $0.take(problem) }
        default: break
        }
    }

    private mutating func change(_ device: DeviceID, at now: Int64, _ change: (inout FleetTile) -> Void) {
        revision += 1
        var tile = tiles[device] ?? FleetTile()
        change(&tile)
        tile.problems.removeAll { $0.isOver(at: now) }
        tile.revision = revision
        let isGone = !tile.hasStatus && tile.states.isEmpty
        tiles[device] = isGone ? nil : tile
        removals[device] = isGone ? revision : nil
        log.append(Entry(revision: revision, device: device))
        // Amortized: a log without obsolete entries is at most half as long.
        let isTooLong = log.count > 2 * (tiles.count + removals.count) + Self.removalLimit
        if isTooLong || removals.count > 2 * Self.removalLimit { compact() }
    }

    private mutating func compact() {
        if let last = removals.values.sorted().dropLast(Self.removalLimit).last {
            forgotten = last
            removals = removals.filter { $0.value > last }
        }
        log = log.filter(isCurrent)
    }

    private func isCurrent(_ entry: Entry) -> Bool {
        (tiles[entry.device]?.revision ?? removals[entry.device]) == entry.revision
    }

    // MARK: - Pages

    package func position(at revision: Int64) -> BoardPosition { BoardPosition(board: name, revision: revision) }

    /// Returns the number of the change where a page continues; `nil` if the page must read everything anew.
    package func resume(from position: BoardPosition?) -> Int64? {
        guard let position, position.board == name, (forgotten...revision).contains(position.revision) else {
            return nil
        }
        return position.revision
    }

    /// Returns the next devices with changes after a number, each once; `nil` if there are none.
    package func changes(after revision: Int64) -> Chunk? {
        guard revision < self.revision else { return nil }
        var chunk = Chunk(revision: self.revision)
        let start = log.lastIndex { $0.revision <= revision }.map { $0 + 1 } ?? 0
        for entry in log[start...] where isCurrent(entry) {
            if let tile = tiles[entry.device] {
                chunk.tiles.append(tile.json(entry.device))
            } else {
                chunk.removed.append(entry.device)
            }
            guard chunk.tiles.count + chunk.removed.count < Self.chunk else {
                chunk.revision = entry.revision
                break
            }
        }
        return chunk
    }
}
