// SPDX-License-Identifier: Apache-2.0

/// A violation of the bus's guarantees, found by a simulation.
package struct Broken: Error, CustomStringConvertible {
    /// The violation and the client concerned.
    package let description: String

    /// Creates a violation with a description.
    package init(_ description: String) {
        self.description = description
    }
}
