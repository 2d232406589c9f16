// SPDX-License-Identifier: Apache-2.0

/// What the loop knows of an ``EventSource``: its handler, and the conditions that have occurred since its last call.
final class DueSource {
    let handler: (UInt32) -> Void
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
        var sources: [DueSource?] = []
        var first = 0

        mutating func takeFirst() -> DueSource? {
            guard first < sources.count else { return nil }
            let source = sources[first]
            sources[first] = nil
            first += 1
            if first == sources.count {
                sources.removeAll(keepingCapacity: true)
                first = 0
            }
            return source
        }
    }

    private var queues = EventSource.Priority.allCases.map { _ in Queue() }
    private var count = 0

    var isEmpty: Bool { count == 0 }

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
