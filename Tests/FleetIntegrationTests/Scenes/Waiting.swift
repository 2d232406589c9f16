// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An error that prevents a test from continuing.
struct Trouble: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Waits until a condition is met that nothing notifies of, such as one of another process.
func wait(for what: @autoclosure () -> String, seconds: Int = 60, until condition: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    var milliseconds: Int32 = 1
    while try !condition() {
        guard ContinuousClock.now < end else { throw Trouble("waited for \(what())") }
        poll(nil, 0, milliseconds)
        milliseconds = min(2 * milliseconds, 20)
    }
}
