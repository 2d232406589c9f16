// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// Publishes or withdraws the state of a name.
package struct Publish: BusMethod {
    package typealias Answer = Revision
    package static var name: String { "org.reveille.Bus.Publish" }
    package let value: PublishedValue
    package let whileConnected: Bool
    package let target: PublishTarget?

    package init(_ value: PublishedValue, whileConnected: Bool = false, target: PublishTarget? = nil) {
        (self.value, self.whileConnected, self.target) = (value, whileConnected, target)
    }

    package init(_ fields: inout Fields, history _: Int) throws(CallError) {
        let name = try fields.aspect { $0.isPublished }
        let value = try fields.optional(.value) { PublishedValue(name, validating: $0) }
        self.value = value ?? PublishedValue(name, bytes: nil)
        whileConnected = try fields.optionalBool("whileConnected") ?? false
        target = try PublishTarget(&fields)
    }

    package var parameters: JSONObject {
        var parameters: JSONObject = ["aspect": .string(value.name.name), "value": value.structure]
        if whileConnected { parameters["whileConnected"] = true }
        if let target {
            parameters["instance"] = .string(target.instance)
            parameters["target"] = .integer(Int64(target.generation))
        }
        return parameters
    }
}

/// The generation that a published value stands for, on one instance of the bus.
package struct PublishTarget: Sendable, Hashable {
    package var instance: String
    package var generation: Int

    package init(instance: String, generation: Int) {
        self.instance = instance
        self.generation = generation
    }

    /// Reads the parameters of a call, of which it has both or none; `nil` for none.
    fileprivate init?(_ fields: inout Fields) throws(CallError) {
        switch (try fields.optionalString("instance"), try fields.optionalCount("target")) {
        case (let instance?, let generation?): self.init(instance: instance, generation: generation)
        case (nil, nil): return nil
        case (nil, _): throw fields.invalid("instance")
        case (_, nil): throw fields.invalid("target")
        }
    }
}
