// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire

/// A violation of a target's property by an input.
package struct Falsified: Error, CustomStringConvertible {
    /// The property and the actual result.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Checks a property.
func require(_ holds: Bool, _ promise: @autoclosure () -> String) throws(Falsified) {
    guard holds else { throw Falsified(promise()) }
}

/// Checks that two results are equal.
func requireEqual<Value: Equatable>(_ one: Value, _ other: Value, _ promise: String) throws(Falsified) {
    guard one == other else { throw Falsified("\(promise): \(one) and \(other)") }
}

/// Checks that a reading survives encoding.
func requireEncodable(_ reading: Reading) throws(Falsified) {
    let structure = ReadingCoding.encode(reading)
    try requireEqual(try? ReadingCoding.decode(structure, of: reading.aspect), reading, "a reading after encoding")
}
