// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The latest changes of an aspect, up to a number, and for published values up to a size.
struct ChangeRing {
    /// The largest total size of published values, in bytes: a thousand names with long values keep at most 64 MB.
    static let sizeLimit = 64 << 10

    private var changes: [Change?]
    private var newest = 0
    /// The number of changes in the ring, at least 1.
    private(set) var count = 1
    private let capacity: Int
    /// The total size of the published values in bytes.
    private(set) var size: Int

    /// Creates a ring with one change.
    init(_ first: Change, capacity: Int) {
        changes = [first]
        self.capacity = capacity
        size = first.size
    }

    /// The oldest change.
    var oldest: Change? { self[count - 1] }

    /// The change that is older than the newest by a number of changes; `nil` if the ring has dropped it.
    subscript(age: Int) -> Change? {
        age >= 0 && age < count ? changes[place(age)] : nil
    }

    /// Adds the newest change, and drops the oldest ones if there is no room.
    mutating func append(_ change: Change) {
        if changes.count < capacity {
            changes.append(change)
            newest = changes.count - 1
        } else {
            if count == capacity { dropOldest() }
            newest = (newest + 1) % capacity
            changes[newest] = change
        }
        count += 1
        size += change.size
        while size > Self.sizeLimit, count > 1 { dropOldest() }
    }

    private mutating func dropOldest() {
        let place = place(count - 1)
        size -= changes[place]?.size ?? 0
        if !isKnownUniquelyReferenced(&changes[place]) { changes[place]?.dropValue() }
        changes[place] = nil
        count -= 1
    }

    private func place(_ age: Int) -> Int {
        (newest + changes.count - age) % changes.count
    }
}

extension Change {
    /// The size of a published value in bytes; 0 for other aspects.
    var size: Int { reading.published?.bytes?.count ?? 0 }
}
