// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

/// The aspects of the device for the scripts of the page.
package enum PageAspects {
    /// A line that defines the constant `aspects`: the aspects in their order, each with its main field.
    package static let script =
        Array("const aspects = ".utf8) + JSON.array(BuiltInAspect.onPage.map(\.json)).bytes + Array(";\n".utf8)
}

extension BuiltInAspect {
    fileprivate var json: JSON {
        let field = fields.first { $0.name == mainField }
        let kind =
            switch field?.values {
            case .level: "level"
            case .number: "number"
            case .words, .text: "word"
            case .flag, .bool, .list, .other, nil: "other"
            }
        return [
            "name": .string(rawValue), "field": .string(mainField), "kind": .string(kind),
            "unit": .string(field?.chartUnit ?? ""),
        ]
    }
}
