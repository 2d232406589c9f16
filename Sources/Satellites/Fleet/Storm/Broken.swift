// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A promise that was not kept, or something that a simulation cannot do without.
struct Broken: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
