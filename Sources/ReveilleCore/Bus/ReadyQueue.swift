// SPDX-License-Identifier: Apache-2.0

/// The slots of ready subscriptions, in the order in which they became ready.
struct ReadyQueue: Sendable {
    private(set) var slots: [Int] = []
    /// The index of the first slot that was not removed.
    private(set) var head = 0

    var isEmpty: Bool { head == slots.count }

    mutating func append(_ slot: Int) { slots.append(slot) }

    /// Removes the first slot of a queue that is not empty.
    mutating func removeFirst() -> Int {
        let slot = slots[head]
        head += 1
        // Even if it never becomes empty, the queue stays no longer than the number of subscriptions.
        if head * 2 >= slots.count {
            slots.removeFirst(head)
            head = 0
        }
        return slot
    }
}
