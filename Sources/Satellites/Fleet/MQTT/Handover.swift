// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// Values that one thread hands to another, in order.
final class Handover<Value: Sendable>: Sendable {
    private let values = Lock<[Value]>([])
    private let pipe: Pipe

    init() throws(SystemError) { pipe = try Pipe() }

    /// Readable for as long as values wait.
    var descriptor: Int32 { pipe.readingEnd }

    var count: Int { values.withLock { $0.count } }

    func put(_ value: Value) {
        values.withLock { values in
            values.append(value)
            if values.count == 1 { pipe.wake() }
        }
    }

    func take() -> [Value] {
        values.withLock { values in
            guard !values.isEmpty else { return [] }
            defer { values = [] }
            pipe.drain()
            return values
        }
    }
}
