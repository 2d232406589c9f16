// SPDX-License-Identifier: Apache-2.0

import Varlink

/// The generation that a published value stands for, on one instance of the bus.
package struct PublishTarget: Sendable, Hashable {
    package var instance: String
    package var generation: Int

    package init(instance: String, generation: Int) {
        self.instance = instance
        self.generation = generation
    }

    /// Reads the parameters of a call; `nil` if it has no target.
    init?(_ fields: Fields) throws(CallError) {
        guard let generation = try fields.optionalCount("target"),
            let instance = try fields.optionalString("instance")
        else { return nil }
        self.init(instance: instance, generation: generation)
    }
}
