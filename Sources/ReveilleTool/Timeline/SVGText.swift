// SPDX-License-Identifier: Apache-2.0

/// The text of an SVG picture, in which every attribute and every character of text is escaped.
struct SVGText {
    private(set) var text = ""

    mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String>, text content: String? = nil) {
        let end = content.map { ">\(Self.escaped($0))</\(name)>" } ?? "/>"
        text += "<\(name)\(Self.list(attributes))\(end)\n"
    }

    /// Returns text without markup; characters that XML does not allow are replaced.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\u{0}"..<" ", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    mutating func path(_ style: String, _ line: String) { element("path", ["class": style, "d": line]) }

    static func list(_ attributes: KeyValuePairs<String, String>) -> String {
        attributes.reduce("") { $0 + " \($1.key)=\"\(escaped($1.value))\"" }
    }
}

extension DefaultStringInterpolation {
    mutating func appendInterpolation(svg number: Double) {
        appendLiteral(number.text())
    }
}
