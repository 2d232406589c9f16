// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import Varlink

/// The words that the comments of an interface name, by the field that they are about.
///
/// An interface has no type for a closed set of words; its text lists them: `state: near, far, unknown.`
package struct Vocabulary {
    private var words: [String: [String]] = [:]
    /// All of them, sorted, with the names of all fields.
    package private(set) var all: [String] = []

    /// Reads the texts of interfaces.
    package init(_ interfaces: [Interface]) {
        for interface in interfaces {
            let fields = interface.fieldNames
            for line in interface.text.split(separator: "\n") { read(line, fields: fields) }
            all += fields
        }
        for (field, found) in words { words[field] = Set(found).sorted() }
        all = Set(all + words.values.joined()).sorted()
    }

    /// The words for a field.
    package subscript(field: String) -> [String] { words[field] ?? [] }

    /// The field that the words are about, from its colon to the end of the sentence.
    private var field: String?

    private mutating func read(_ line: Substring, fields: Set<String>) {
        guard line.hasPrefix("#") else { return field = nil }
        for token in line.dropFirst().split(separator: " ") {
            let word = String(token.filter { $0.isLetter })
            if token.hasSuffix(":"), fields.contains(word) {
                field = word
            } else if let field, !word.isEmpty {
                words[field, default: []].append(word)
            }
            if token.hasSuffix(".") { field = nil }
        }
    }
}

extension Interface {
    /// The names of all fields, of types, methods and errors alike.
    fileprivate var fieldNames: Set<String> {
        var names: Set<String> = []
        for type in types.values { type.collect(&names) }
        for method in methods.values {
            ValueType.structure(method.input).collect(&names)
            ValueType.structure(method.output).collect(&names)
        }
        for structure in errors.values { ValueType.structure(structure).collect(&names) }
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
