// SPDX-License-Identifier: Apache-2.0

/// The latest changes of an aspect, up to a number, and for published values up to a size.
struct ChangeRing {
    /// The largest total size of published values, in bytes: a thousand names with long values keep at most 64 MB.
    static let sizeLimit = 64 << 10

    private var changes: [Change?]
    private var newest = 0
    /// The number of changes in the ring, at least 1.
    private(set) var count = 1
    let capacity: Int
    /// The total size of the published values in bytes.
    private(set) var size: Int

    init(_ first: Change, capacity: Int) {
        changes = [first]
        self.capacity = capacity
        size = first.size
    }

    var oldest: Change? { self[count - 1] }

    /// The change that is older than the newest by a number of changes; `nil` if the ring has dropped it.
    subscript(age: Int) -> Change? {
        age >= 0 && age < count ? changes[place(age)] : nil
    }

    /// Adds the newest change, and drops the oldest changes if there is no room.
    mutating func append(_ change: Change) {
        if count == capacity { dropOldest() }
        newest += 1
        if newest == capacity { newest = 0 }
        if newest == changes.count { changes.append(change) } else { changes[newest] = change }
        count += 1
        size += change.size
        while size > Self.sizeLimit, count > 1 { dropOldest() }
    }

    private mutating func dropOldest() {
        var oldest: Change?
        swap(&oldest, &changes[place(count - 1)])
        count -= 1
        guard let dropped = oldest?.size, dropped > 0 else { return }
        size -= dropped
        if !isKnownUniquelyReferenced(&oldest) { oldest?.dropValue() }
    }

    private func place(_ age: Int) -> Int {
        newest >= age ? newest - age : newest - age + changes.count
    }
}
