// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import ReveilleViewCore
import Varlink

/// The stream of tiles of one visible page, written as the page reads.
///
/// The feed takes the next tiles from the board when the last ones have been written. All changes of a device in
/// between are one tile.
///
/// Loop thread only.
final class FleetFeed: Feed {
    private let hub: FleetHub
    private let position: BoardPosition?
    private(set) var output = ServerSentEvent.greeting
    var written = 0
    private var isOpen = false
    /// The number of the last change that was written.
    private var revision: Int64 = 0
    /// The link that the page was last notified of.
    private var link: FleetBoard.Link?
    private var problem: String?
    var onOutput: () -> Void = {}

    /// Creates a feed; the first ``read(into:)`` starts it.
    init(_ hub: FleetHub, from position: BoardPosition?) {
        self.hub = hub
        self.position = position
    }

    func close() {
        hub.remove(self)
    }

    func takeNext() {
        output.removeAll(keepingCapacity: output.capacity <= 256 << 10)
        written = 0
        if !isOpen {
            isOpen = true
            hub.add(self)
            let start = hub.board.resume(from: position)
            revision = start ?? 0
            output += ServerSentEvent.encode("start", ["resumed": .bool(start != nil)])
        }
        let board = hub.board
        if let chunk = board.changes(after: revision) {
            revision = chunk.revision
            output += ServerSentEvent.encode(
                "tiles",
                ["tiles": .array(chunk.tiles), "removed": .array(chunk.removed.map { .string($0.text) })],
                at: board.position(at: revision).text)
        }
        // "Live" means that the page has everything.
        guard revision == board.revision else { return }
        // Sent even without a problem: a returning page still shows the last one.
        let text = board.problem ?? ""
        if problem != text {
            problem = text
            output += ServerSentEvent.encode("problem", ["reason": .string(text)])
        }
        guard link != board.link else { return }
        link = board.link
        switch board.link {
        case .reading: output += ServerSentEvent.encode("reading", [:])
        case .live: output += ServerSentEvent.encode("live", ["devices": .integer(Int64(board.tiles.count))])
        case .lost(let reason): output += ServerSentEvent.encode("lost", ["reason": .string(reason)])
        case .ended(let reason): output += ServerSentEvent.encode("ended", ["reason": .string(reason)])
        }
    }
}
