// SPDX-License-Identifier: Apache-2.0

/// The entries that wait for a time, soonest first: a binary heap that knows where each entry is.
struct PaceQueue {
    struct Item {
        var due: UInt64
        var entry: Int32
    }

    private(set) var items: [Item] = []
    /// The index of each entry in `items`, or -1; empty while no subscription has ever been paced.
    private(set) var positions: [Int32] = []

    /// The soonest time; `nil` while nothing waits.
    var next: UInt64? { items.first?.due }

    /// Adds an entry, unless it waits already.
    mutating func insert(_ entry: Int32, due: UInt64) {
        while positions.count <= Int(entry) { positions.append(-1) }
        guard positions[Int(entry)] < 0 else { return }
        items.append(Item(due: due, entry: entry))
        positions[Int(entry)] = Int32(items.count - 1)
        rise(from: items.count - 1)
    }

    /// Removes an entry, and returns whether it waited.
    @discardableResult
    mutating func remove(_ entry: Int32) -> Bool {
        guard Int(entry) < positions.count, positions[Int(entry)] >= 0 else { return false }
        let index = Int(positions[Int(entry)])
        positions[Int(entry)] = -1
        let last = items.removeLast()
        guard index < items.count else { return true }
        items[index] = last
        positions[Int(last.entry)] = Int32(index)
        rise(from: index)
        sink(from: index)
        return true
    }

    mutating func popDue(at now: UInt64) -> Int32? {
        guard let first = items.first, first.due <= now else { return nil }
        remove(first.entry)
        return first.entry
    }

    private mutating func rise(from start: Int) {
        var index = start
        while index > 0, items[index].due < items[(index - 1) / 2].due {
            swap(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(from start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < items.count {
                if items[child].due < items[least].due { least = child }
            }
            guard least != index else { return }
            swap(index, least)
            index = least
        }
    }

    private mutating func swap(_ one: Int, _ other: Int) {
        items.swapAt(one, other)
        positions[Int(items[one].entry)] = Int32(one)
        positions[Int(items[other].entry)] = Int32(other)
    }
}
