// SPDX-License-Identifier: Apache-2.0

/// The loop's record of an ``EventSource``: its handler, and the conditions that have occurred since its last call.
final class DueSource {
    private(set) var handler: (UInt32) -> Void
    var priority: EventSource.Priority
    fileprivate(set) var isDue = false
    private var conditions: UInt32 = 0
    /// The time for which a timer is set, and its place among others of this time; never by default.
    var time = UInt64.max
    var order: UInt64 = 0

    init(_ priority: EventSource.Priority, _ handler: @escaping (UInt32) -> Void) {
        self.priority = priority
        self.handler = handler
    }

    /// Releases the handler: the source may stand in a queue a while longer.
    func end() { handler = { _ in } }

    /// Adds conditions to those that the handler has not been called with.
    func add(_ conditions: UInt32) { self.conditions = isDue ? self.conditions | conditions : conditions }

    func takeConditions() -> UInt32 {
        defer { conditions = 0 }
        return conditions
    }
}

/// The sources whose handlers are to be called, by priority, and then by the time since which they are due.
struct DueSources {
    private struct Queue {
        /// The least number of taken places that are removed at once, so that each removal moves few.
        private static let leastRemoved = 64

        var sources: [DueSource?] = []
        private var first = 0

        mutating func takeFirst() -> DueSource? {
            guard first < sources.count else { return nil }
            let source = sources[first]
            sources[first] = nil
            first += 1
            // While sources are always due, the queue is never empty.
            if first == sources.count || first >= Self.leastRemoved && first >= sources.count / 2 {
                sources.removeFirst(first)
                first = 0
            }
            return source
        }
    }

    private var queues = EventSource.Priority.allCases.map { _ in Queue() }
    private var count = 0

    var isEmpty: Bool { count == 0 }
    /// The places in the queues, taken or not.
    var placeCount: Int { queues.reduce(0) { $0 + $1.sources.count } }

    mutating func add(_ source: DueSource) {
        guard !source.isDue else { return }
        source.isDue = true
        count += 1
        queues[source.priority.rawValue].sources.append(source)
    }

    mutating func remove(_ source: DueSource) {
        guard source.isDue else { return }
        source.isDue = false
        count -= 1
    }

    mutating func takeFirst() -> DueSource? {
        guard count > 0 else { return nil }
        for priority in queues.indices {
            while let source = queues[priority].takeFirst() {
                // It may have been removed, and even added again.
                guard source.isDue else { continue }
                guard source.priority.rawValue <= priority else {
                    queues[source.priority.rawValue].sources.append(source)
                    continue
                }
                remove(source)
                return source
            }
        }
        return nil
    }
}
