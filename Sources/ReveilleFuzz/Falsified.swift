// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A promise that does not hold for some input.
package struct Falsified: Error, CustomStringConvertible {
    /// The promise, and what is there instead.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Checks one promise.
func require(_ holds: Bool, _ promise: @autoclosure () -> String) throws(Falsified) {
    guard holds else { throw Falsified(promise()) }
}

/// Checks that two ways lead to the same.
func requireEqual<Value: Equatable>(_ one: Value, _ other: Value, _ promise: String) throws(Falsified) {
    guard one == other else { throw Falsified("\(promise): \(one) and \(other)") }
}
