// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

package enum PageFile: String, Sendable, CaseIterable {
    case page = "/"
    case script = "/view.js"
    case drawing = "/draw.js"
    case style = "/view.css"
    case icon = "/icon.svg"
    case fleetPage = "/fleet"
    case fleetScript = "/fleet.js"
    case fleetStyle = "/fleet.css"

    /// Whether the file is a document, which can be opened with a token in the address.
    package var isPage: Bool { [.page, .fleetPage].contains(self) }

    package var isOfFleet: Bool { [.fleetPage, .fleetScript, .fleetStyle].contains(self) }

    package var type: String {
        switch self {
        case .page, .fleetPage: "text/html; charset=utf-8"
        case .script, .drawing, .fleetScript: "text/javascript; charset=utf-8"
        case .style, .fleetStyle: "text/css; charset=utf-8"
        case .icon: "image/svg+xml"
        }
    }
}

package enum PageAspects {
    /// A line for the scripts that defines the constant `aspects`: the aspects in their order, each with its main field.
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
            "unit": .string(field?.chartUnit ?? ""), "isStream": .bool(self.kind == .stream),
        ]
    }
}
