// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// Asks for the demand for names and patterns, and then for its changes.
package struct ObserveDemand: BusMethod {
    package typealias Answer = [NameDemand]
    package static var name: String { "org.reveille.Bus.ObserveDemand" }
    package static var isStream: Bool { true }
    package let aspects: AspectSet

    package init(_ aspects: AspectSet) { self.aspects = aspects }

    package init(_ fields: inout Fields, history _: Int) throws(CallError) {
        guard let aspects = try fields.aspects(), aspects.builtIn.isEmpty else {
            throw fields.invalid("aspects", "must be names that programs publish, or patterns of them")
        }
        self.aspects = aspects
    }

    package var parameters: JSONObject { ["aspects": JSON(aspects)] }
}

package struct NameDemand: ReplyElement {
    package static var list: FieldName { "demands" }
    /// A name or a pattern.
    package let aspect: Aspect
    package let isNeeded: Bool

    package init(aspect: Aspect, isNeeded: Bool) {
        self.aspect = aspect
        self.isNeeded = isNeeded
    }

    package init?(_ fields: inout Fields) throws(CallError) {
        self.init(aspect: try fields.anyAspect(), isNeeded: try fields.bool("needed"))
    }

    package var structure: JSON { ["aspect": .string(aspect.name), "needed": .bool(isNeeded)] }
}
