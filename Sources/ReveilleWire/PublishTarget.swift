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

    /// Reads the parameters of a call, of which it has both or none; `nil` for none.
    init?(_ fields: inout Fields) throws(CallError) {
        switch (try fields.optionalString("instance"), try fields.optionalCount("target")) {
        case (let instance?, let generation?): self.init(instance: instance, generation: generation)
        case (nil, nil): return nil
        case (nil, _): throw fields.invalid("instance")
        case (_, nil): throw fields.invalid("target")
        }
    }
}
