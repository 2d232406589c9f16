// SPDX-License-Identifier: Apache-2.0

/// The types of interfaces in the form in which values are checked.
///
/// Types and names are in tables and refer to each other by position. Checking a value neither looks up the names of
/// types nor allocates.
struct Schema: Sendable, Hashable {
    /// A type; see ``ValueType``.
    ///
    /// The positions refer to types or, for structures and enumerations, to names.
    private enum Kind: Sendable, Hashable {
        case bool, int, float, string, object, any
        case structure(Range<Int>)
        case enumeration(Range<Int>)
        case array(Int)
        case dictionary(Int)
        case nullable(Int)
    }

    private var kinds: [Kind] = []
    /// The names of fields and the words of enumerations.
    private var names = NameTable()
    private var fieldTypes: [Int] = []

    mutating func add(_ types: [String: ValueType]) -> [String: Int] {
        var positions: [String: Int] = [:]
        // In the order of their names, so that equal interfaces have equal schemas.
        let types = types.sorted { $0.key < $1.key }
        // All types have a position before the first is added, since they may refer to each other.
        for (name, _) in types {
            positions[name] = kinds.count
            kinds.append(.any)
        }
        for (name, type) in types {
            let kind = kind(of: type, positions)
            if let position = positions[name] { kinds[position] = kind }
        }
        return positions
    }

    mutating func add(_ structure: Structure, _ types: [String: Int]) -> Int {
        position(of: .structure(structure), types)
    }

    /// Adds structures, and returns their positions by the bytes of their names, since equal strings can differ in their
    /// scalars.
    mutating func add(_ structures: [String: Structure], _ types: [String: Int]) -> [[UInt8]: Int] {
        var positions: [[UInt8]: Int] = [:]
        for (name, structure) in structures.sorted(by: { $0.key < $1.key }) {
            positions[Array(name.utf8)] = add(structure, types)
        }
        return positions
    }

    private mutating func position(of type: ValueType, _ positions: [String: Int]) -> Int {
        if case .named(let name) = type {
            guard let position = positions[name] else {
                preconditionFailure("the interface has an undefined type '\(name)'")
            }
            return position
        }
        let kind = kind(of: type, positions)
        kinds.append(kind)
        return kinds.count - 1
    }

    private mutating func kind(of type: ValueType, _ positions: [String: Int]) -> Kind {
        switch type {
        case .bool: return .bool
        case .int: return .int
        case .float: return .float
        case .string: return .string
        case .object: return .object
        case .any: return .any
        case .named: return kinds[position(of: type, positions)]
        case .array(let type): return .array(position(of: type, positions))
        case .dictionary(let type): return .dictionary(position(of: type, positions))
        case .nullable(let type): return .nullable(position(of: type, positions))
        case .enumeration(let words):
            return .enumeration(add(words.map { ($0, nil) }))
        case .structure(let structure):
            // The types of the fields come first, so that the fields of each structure are in a row.
            let fields = add(structure.fields.map { ($0.name, position(of: $0.type, positions)) })
            return .structure(fields)
        }
    }

    private mutating func add(_ entries: [(name: String, type: Int?)]) -> Range<Int> {
        let start = names.count
        for entry in entries {
            names.append(entry.name)
            fieldTypes.append(entry.type ?? -1)
        }
        return start..<names.count
    }
}

extension Schema {
    /// Checks that an object has the fields of a structure and no others; see ``Interface/validate(_:)``.
    func validate(_ object: JSONObject, _ structure: Int) throws(CallError) {
        let found = object.withText { text, index in fault(in: text, at: index, of: structure) }
        if let found { throw .invalidParameter(found.path.joined(separator: "."), found.reason) }
    }

    /// An invalid field, by its path; the path of the value itself is empty.
    private struct Fault {
        var path: [String] = []
        var reason: String
    }

    /// Returns the first invalid field in a value, if any.
    private func fault(in text: JSONText, at index: Int, of type: Int) -> Fault? {
        switch (kinds[type], text.nodes[index].value) {
        case (.any, .null): return Fault(reason: "is required")
        case (.bool, .bool), (.int, .integer), (.float, .integer), (.float, .number), (.string, .string),
            (.object, .object), (.nullable, .null), (.any, _):
            return nil
        case (.nullable(let type), _):
            return fault(in: text, at: index, of: type)
        case (.enumeration(let words), .string(let word)):
            return names.position(of: text.bytes.span, word, in: words) == nil ? Fault(reason: CallError.unknown) : nil
        case (.structure(let fields), .object):
            return fault(in: text, at: index, with: fields)
        case (.array(let type), .array(let end)), (.dictionary(let type), .object(let end)):
            var child = index + 1
            while child < end {
                if let fault = fault(in: text, at: child, of: type) { return fault }
                child = text.end(of: child)
            }
            return nil
        default:
            return Fault(reason: "must be \(words(for: type))")
        }
    }

    private func words(for type: Int) -> String {
        switch kinds[type] {
        case .bool: "true or false"
        case .int: "an integer"
        case .float: "a number"
        case .string, .enumeration: "a string"
        case .structure, .dictionary, .object: "an object"
        case .array(let type): "a list, and each element \(words(for: type))"
        case .any: "a value"
        case .nullable(let type): words(for: type)
        }
    }

    private func fault(in text: JSONText, at object: Int, with fields: Range<Int>) -> Fault? {
        for field in fields {
            let name = names[field]
            let type = fieldTypes[field]
            if let value = text.member(name, of: object) {
                guard let fault = fault(in: text, at: value, of: type) else { continue }
                return Fault(path: [name] + fault.path, reason: fault.reason)
            }
            guard case .nullable = kinds[type] else { return Fault(path: [name], reason: "is required") }
        }
        let end = text.end(of: object)
        var member = object + 1
        while member < end {
            let name = text.nodes[member].name
            guard names.position(of: text.bytes.span, name, in: fields) != nil else {
                return Fault(path: [text.string(name)], reason: CallError.unknown)
            }
            member = text.end(of: member)
        }
        return nil
    }
}
