// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation

/// Checks that a bus keeps its guarantees and serves honest users, whatever hostile users do.
///
/// The bytes do not reach the bus; they decide what happens to it.
enum LivesTarget {
    /// The maximum number of steps, which the longest inputs can decide.
    private static let steps = 400

    static func check(_ bytes: [UInt8]) throws(Falsified) {
        do throws(Broken) {
            try HostileLife(choices: Choices(bytes: bytes)).run(steps: steps)
        } catch {
            throw Falsified(error.description)
        }
    }
}
