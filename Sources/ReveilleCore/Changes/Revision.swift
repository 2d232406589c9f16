// SPDX-License-Identifier: Apache-2.0

/// The position of a state that was published or posted, in the order of changes.
public struct Revision: Sendable, Hashable {
    /// The generation of the state, which counts the changes of its aspect.
    public let generation: Int
    /// The sequence of the change, which counts the changes of all aspects of the bus.
    public let sequence: Int

    package init(generation: Int, sequence: Int) {
        self.generation = generation
        self.sequence = sequence
    }
}
