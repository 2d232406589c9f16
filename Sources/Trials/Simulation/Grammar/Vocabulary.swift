// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
package import Varlink

/// The words that the declarations of aspects and an interface's comments list for fields.
///
/// An interface declares no type for a closed set of words; its text lists them: `state: near, far, unknown.`
package struct Vocabulary {
    private struct Field: Hashable {
        /// The commented type, method or error, its keyword, or an empty string.
        let scope: String
        let name: String
    }

    private static let keywords: Set<Substring> = ["type", "method", "error"]

    private var words: [Field: [String]] = [:]
    private var keywordOf: [String: String] = [:]
    /// All words and all field names, sorted.
    package private(set) var all: [String] = []

    package init(_ interfaces: [Interface]) {
        for interface in interfaces {
            let fields = interface.fieldNames
            var comment: [Substring] = []
            for line in interface.text.split(separator: "\n") {
                if line.hasPrefix("#") {
                    comment += line.dropFirst().split(separator: " ")
                } else {
                    read(comment, above: line.split { !$0.isLetter }, fields: fields)
                    comment = []
                }
            }
            all += fields
        }
        for aspect in BuiltInAspect.allCases {
            for field in aspect.fields {
                guard case .words(let list, _) = field.values else { continue }
                for scope in [aspect.rawValue.prefix(1).uppercased() + aspect.rawValue.dropFirst(), "type", ""] {
                    words[Field(scope: scope, name: field.ownName), default: []] += list
                }
            }
        }
        all = Set(all + words.values.joined()).sorted()
        words = words.mapValues { Set($0).sorted() }
    }

    /// Returns the sorted words for a field of a type, method or error from its own comment, otherwise from members of the
    /// same kind or from any member.
    package func words(for field: String, in member: String) -> [String] {
        for scope in [member, keywordOf[member] ?? "", ""] {
            if let words = words[Field(scope: scope, name: field)] { return words }
        }
        return []
    }

    private mutating func read(_ comment: [Substring], above line: [Substring], fields: Set<String>) {
        guard line.count > 1, Self.keywords.contains(line[0]) else { return }
        let scopes = [String(line[1]), String(line[0]), ""]
        keywordOf[scopes[0]] = scopes[1]
        // The field that the words describe, from its colon to the end of the sentence.
        var field: String?
        var isAside = false
        for token in comment {
            let word = String(token.filter { $0.isLetter })
            if token.hasPrefix("(") { isAside = true }
            if token.hasSuffix(":"), fields.contains(word) {
                field = word
            } else if let field, !isAside, !word.isEmpty, word != "or", word != "and" {
                for scope in scopes { words[Field(scope: scope, name: field), default: []].append(word) }
            }
            if token.contains(")") { isAside = false }
            if token.hasSuffix(".") { field = nil }
        }
    }
}

extension Interface {
    /// The names of all fields in types, methods and errors.
    fileprivate var fieldNames: Set<String> {
        var names: Set<String> = []
        let structures = methods.values.flatMap { [$0.input, $0.output] } + errors.values
        for type in types.values + structures.map(ValueType.structure) { type.collect(&names) }
        return names
    }
}

extension ValueType {
    fileprivate func collect(_ names: inout Set<String>) {
        switch self {
        case .bool, .int, .float, .string, .object, .any, .named: break
        case .enumeration(let words): names.formUnion(words)
        case .array(let type), .dictionary(let type), .nullable(let type): type.collect(&names)
        case .structure(let structure):
            for field in structure.fields {
                names.insert(field.name)
                field.type.collect(&names)
            }
        }
    }
}
