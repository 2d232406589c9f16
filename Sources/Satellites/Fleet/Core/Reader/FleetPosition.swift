// SPDX-License-Identifier: Apache-2.0

/// The last seen state of an aspect of a device.
package struct FleetPosition: Sendable, Hashable {
    /// The bus that counts the generations.
    package var instance: String
    package var generation: Int64

    package init(instance: String, generation: Int64) {
        self.instance = instance
        self.generation = generation
    }
}
