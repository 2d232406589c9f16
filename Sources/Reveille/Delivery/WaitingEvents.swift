// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The events that wait in an inbox, in the order of their delivery.
///
/// Each aspect has at most one event that later events are merged into, and any number of events that are kept apart.
/// Adding, finding and removing the first event take constant time, whatever the number of aspects.
struct WaitingEvents {
    struct Item {
        var event: Event
        /// Whether its reply had several events of the aspect, which are all delivered.
        var isApart = false
        /// Whether the consumer has asked for it.
        var isAnswer = false
    }

    private struct Places {
        var merged: Int?
        var apart: [Int] = []

        var isEmpty: Bool { merged == nil && apart.isEmpty }
    }

    /// The events in order; `nil` for removed events.
    private var items: [Item?] = []
    /// The index of the first event, or of a later one.
    private var head = 0
    private var count = 0
    private var places: [Aspect: Places] = [:]

    var isEmpty: Bool { count == 0 }

    func contains(_ aspect: Aspect) -> Bool { places[aspect] != nil }

    /// Returns the index of the event of an aspect that later events are merged into, if there is one.
    func merged(_ aspect: Aspect) -> Int? { places[aspect]?.merged }

    /// Returns the event at an index; `nil` if it was removed.
    func event(at index: Int) -> Event? { items[index]?.event }

    func firstIndex(where condition: (Item) -> Bool) -> Int? {
        guard count > 0 else { return nil }
        return items.indices[head...].first { items[$0].map(condition) == true }
    }

    /// Adds an event behind all others; an aspect has at most one event that is not kept apart.
    mutating func append(_ item: Item) {
        if items.count > 2 * count + 16 { compact() }
        if item.isApart {
            places[item.event.aspect, default: Places()].apart.append(items.count)
        } else {
            places[item.event.aspect, default: Places()].merged = items.count
        }
        items.append(item)
        count += 1
    }

    mutating func remove(at index: Int) -> Item? {
        guard let item = items[index] else { return nil }
        items[index] = nil
        count -= 1
        if count == 0 {
            items.removeAll(keepingCapacity: true)
            head = 0
        } else {
            while items[head] == nil { head += 1 }
        }
        if item.isApart {
            places[item.event.aspect]?.apart.removeAll { $0 == index }
        } else {
            places[item.event.aspect]?.merged = nil
        }
        if places[item.event.aspect]?.isEmpty == true { places[item.event.aspect] = nil }
        return item
    }

    mutating func removeMerged(_ aspect: Aspect) -> Item? {
        places[aspect]?.merged.flatMap { remove(at: $0) }
    }

    /// Removes the oldest of an aspect's separate events, and counts its changes as dropped before the next event.
    mutating func dropFirst(of aspect: Aspect, keeping limit: Int) {
        guard let apart = places[aspect]?.apart, apart.count > max(1, limit), let dropped = remove(at: apart[0])?.event
        else { return }
        let lost = dropped.droppedCount.addingUpToMaximum(dropped.changeCount)
        items[apart[1]]?.event.droppedCount.addUpToMaximum(lost)
    }

    private mutating func compact() {
        let kept = items.compactMap(\.self)
        self = WaitingEvents()
        items.reserveCapacity(2 * kept.count + 16)
        for item in kept { append(item) }
    }
}
