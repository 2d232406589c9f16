// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSimulation

/// Whatever hostile users call, send, leave unread and survive, a bus answers as its interfaces say, holds what it
/// promised, and lets the honest in.
///
/// The bytes do not reach the bus: they decide what is done to it.
enum LivesTarget {
    /// As many as the longest inputs decide on.
    private static let steps = 400

    static func check(_ bytes: [UInt8]) throws(Falsified) {
        do throws(Broken) {
            try HostileLife(choices: Choices(bytes: bytes)).run(steps: steps)
        } catch {
            throw Falsified(error.description)
        }
    }
}
