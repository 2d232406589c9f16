// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A promise that was not kept, and how.
package struct Broken: Error, CustomStringConvertible {
    /// What happened, with who it happened to.
    package let description: String

    /// Says what happened.
    package init(_ description: String) {
        self.description = description
    }
}
