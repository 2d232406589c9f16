// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// Publishes or withdraws the state of a name.
package struct Publish: BusMethod {
    package typealias Answer = Revision
    package static var name: String { "org.reveille.Bus.Publish" }
    package let value: PublishedValue
    package let whileConnected: Bool
    /// Whether the state ended with an earlier connection, so that one that lasts is newer.
    package let isAgain: Bool

    package init(_ value: PublishedValue, whileConnected: Bool = false, isAgain: Bool = false) {
        (self.value, self.whileConnected, self.isAgain) = (value, whileConnected, isAgain)
    }

    package init(_ fields: inout Fields, history _: Int) throws(CallError) {
        value = try fields.publishedValue()
        whileConnected = try fields.optionalBool("whileConnected") ?? false
        isAgain = try fields.optionalBool("again") ?? false
    }

    package var parameters: JSONObject {
        var parameters = value.parameters
        if whileConnected { parameters["whileConnected"] = true }
        if isAgain { parameters["again"] = true }
        return parameters
    }
}

/// Publishes a state from elsewhere, which stands for all changes up to a generation on one instance of the bus.
package struct Import: BusMethod {
    package typealias Answer = Revision
    package static var name: String { "org.reveille.Bus.Import" }
    package let value: PublishedValue
    package let instance: String
    package let generation: Int

    package init(_ value: PublishedValue, instance: String, generation: Int) {
        (self.value, self.instance, self.generation) = (value, instance, generation)
    }

    package init(_ fields: inout Fields, history _: Int) throws(CallError) {
        value = try fields.publishedValue()
        instance = try fields.string("instance")
        generation = try fields.count(.generation)
    }

    package var parameters: JSONObject {
        var parameters = value.parameters
        parameters["instance"] = .string(instance)
        parameters["generation"] = .integer(Int64(generation))
        return parameters
    }
}

extension Fields {
    fileprivate mutating func publishedValue() throws(CallError) -> PublishedValue {
        let name = try publishedName()
        let value = try optional(.value, PublishedValue.rule) { PublishedValue(name, validating: $0) }
        return value ?? PublishedValue(name, bytes: nil)
    }
}

extension PublishedValue {
    fileprivate var parameters: JSONObject { ["aspect": .string(name.name), "value": structure] }
}
