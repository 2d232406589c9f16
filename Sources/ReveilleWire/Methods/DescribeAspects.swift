// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// Asks for the source of each aspect.
package struct DescribeAspects: BareMethod {
    package typealias Answer = [AspectInfo]
    package static var name: String { "org.reveille.Bus.DescribeAspects" }

    package init() {}
}

extension AspectInfo: ReplyElement {
    package static var list: FieldName { "aspects" }

    package init?(_ fields: inout Fields) throws(CallError) {
        guard let aspect = try fields.requiredName(.aspect) else { return nil }
        let source = try fields.optionalString("source")
        let reason = try fields.optionalString("reason")
        self.init(
            aspect: aspect, isAvailable: source != nil, isWatched: try fields.bool("monitored"),
            source: source ?? reason ?? "")
    }

    package var structure: JSON {
        .object([
            "aspect": .string(aspect.name),
            "available": .bool(isAvailable),
            "monitored": .bool(isWatched),
            "source": isAvailable ? .string(source) : .null,
            "reason": isAvailable ? .null : .string(source),
        ])
    }
}
