// SPDX-License-Identifier: Apache-2.0

/// A reader of one object of a configuration: keys that are never read are unknown.
package final class ConfigurationSection {
    /// The shortest interval in seconds; reading a source more often would leave no time for anything else.
    package static let shortestInterval = 0.001
    /// The longest time in seconds: a year, which can stand for "never".
    package static let longestInterval = 31_536_000.0

    private let values: [String: SettingsValue]
    private let path: String?
    private var known: Set<String> = []

    /// Reads the sections of a whole file; throws the line that is not JSON5.
    package convenience init(parsing bytes: [UInt8]) throws(ConfigurationError) {
        let value: SettingsValue
        do {
            // Numbers out of range are accepted here, so that the error names their key.
            value = try RelaxedJSON.parse(bytes)
        } catch {
            throw ConfigurationError(key: nil, reason: "not JSON5: \(error)")
        }
        try self.init(value, path: nil)
    }

    init(_ value: SettingsValue, path: String?) throws(ConfigurationError) {
        guard case .dictionary(let values) = value else {
            throw ConfigurationError(key: path, reason: "not an object")
        }
        self.values = values
        self.path = path
    }

    package func section(
        _ name: String, read: (ConfigurationSection) throws(ConfigurationError) -> Void
    ) throws(ConfigurationError) {
        guard let value = value(name) else { return }
        let section = try ConfigurationSection(value, path: key(name))
        try read(section)
        try section.rejectUnknownKeys()
    }

    package func seconds(_ name: String, in range: ClosedRange<Double>) throws(ConfigurationError) -> Duration? {
        try number(name, "a number of seconds", in: range).map { .seconds($0) }
    }

    package func number(
        _ name: String, _ expected: String = "a number", in range: ClosedRange<Double>
    ) throws(ConfigurationError) -> Double? {
        guard let value = value(name) else { return nil }
        guard let number = Self.number(value), range.contains(number) else {
            throw wrong(name, "\(expected) from \(range.lowerBound.text) to \(range.upperBound.text)")
        }
        return number
    }

    package func integer(
        _ name: String, in range: ClosedRange<Int>, because reason: String? = nil
    ) throws(ConfigurationError) -> Int? {
        guard let value = value(name) else { return nil }
        guard case .integer(let integer) = value, let integer = Int(exactly: integer), range.contains(integer) else {
            let reason = reason.map { " (\($0))" } ?? ""
            throw wrong(name, "a whole number from \(range.lowerBound) to \(range.upperBound)\(reason)")
        }
        return integer
    }

    package func text<Value>(
        _ name: String, _ expected: String, read: (String) -> Value?
    ) throws(ConfigurationError) -> Value? {
        guard let value = value(name) else { return nil }
        guard let result = Self.text(value).flatMap(read) else { throw wrong(name, expected) }
        return result
    }

    /// Reads a value that may have several kinds.
    package func any<Value>(
        _ name: String, _ expected: String, read: (SettingsValue) -> Value?
    ) throws(ConfigurationError) -> Value? {
        guard let value = value(name) else { return nil }
        guard let result = read(value) else { throw wrong(name, expected) }
        return result
    }

    package func flag(_ name: String) throws(ConfigurationError) -> Bool? {
        try any(name, "true or false") { if case .bool(let isTrue) = $0 { isTrue } else { nil } }
    }

    /// Reads a choice: off, on with the usual text, or on with another text.
    package func flagOrText(
        _ name: String, _ expected: String, whenTrue usual: String, read: (String) -> String?
    ) throws(ConfigurationError) -> String? {
        guard case .bool(let isOn) = value(name) else { return try text(name, expected, read: read) }
        return isOn ? usual : nil
    }

    /// Reads a list of paths, absolute or below the home directory, since a service has no useful working directory.
    package func paths(_ name: String) throws(ConfigurationError) -> [String]? {
        try list(name, "a list of paths") { value throws(ConfigurationError) in
            guard let path = Self.text(value) else { throw wrong(name, "a list of paths") }
            return try absolute(path, name)
        }
    }

    package func path(_ name: String) throws(ConfigurationError) -> String? {
        guard let path = try text(name, "a path", read: { $0 }) else { return nil }
        return try absolute(path, name)
    }

    private func absolute(_ path: String, _ name: String) throws(ConfigurationError) -> String {
        guard path.hasPrefix("/") || path.hasPrefix("~/"), !path.utf8.contains(0) else {
            throw wrong(name, "an absolute path, which begins with / or ~/", .string(path))
        }
        return path
    }

    /// Reads a list of objects, whose keys are named after their place: `publish.allow[0].users`.
    package func sections<Element>(
        _ name: String, _ expected: String, read: (ConfigurationSection) throws(ConfigurationError) -> Element
    ) throws(ConfigurationError) -> [Element]? {
        var count = 0
        return try list(name, expected) { value throws(ConfigurationError) in
            let section = try ConfigurationSection(value, path: "\(key(name))[\(count)]")
            count += 1
            let element = try read(section)
            try section.rejectUnknownKeys()
            return element
        }
    }

    /// Reads a list of distinct texts of an expected kind, up to a number of them; an error about one ends in a hint.
    package func texts<Value: Hashable>(
        _ name: String, each expected: String, atMost limit: Int, hint: (String) -> String = { _ in "" },
        read: (String) -> Value?
    ) throws(ConfigurationError) -> [Value]? {
        var seen: Set<Value> = []
        return try list(name, "a list, each \(expected)") { value throws(ConfigurationError) in
            guard let text = Self.text(value), let element = read(text) else {
                var error = wrong(name, expected, value)
                if let text = Self.text(value) { error.reason += hint(text) }
                throw error
            }
            guard seen.insert(element).inserted else { throw refusing(name, because: "\(value) is listed twice") }
            guard seen.count <= limit else { throw refusing(name, because: "more than \(limit) entries") }
            return element
        }
    }

    package func list<Element>(
        _ name: String, _ expected: String, read: (SettingsValue) throws(ConfigurationError) -> Element
    ) throws(ConfigurationError) -> [Element]? {
        guard let value = value(name) else { return nil }
        guard case .array(let values) = value else { throw wrong(name, expected) }
        var elements: [Element] = []
        for value in values { elements.append(try read(value)) }
        return elements
    }

    /// Returns the value of a key that has no default.
    package func required<Value>(_ name: String, _ value: Value?) throws(ConfigurationError) -> Value {
        guard let value else { throw ConfigurationError(key: key(name), reason: "missing") }
        return value
    }

    /// The keys of a section whose keys are names that the user chose.
    package var names: [String] { values.keys.sorted() }

    /// Returns the error of a key whose name is not allowed.
    package func refusing(_ name: String, because reason: String) -> ConfigurationError {
        ConfigurationError(key: key(name), reason: reason)
    }

    package func rejectUnknownKeys() throws(ConfigurationError) {
        for name in values.keys.sorted() where !known.contains(name) {
            throw ConfigurationError(
                key: key(name), reason: "unknown key\(Suggestion.phrase(for: name, among: known.sorted()))")
        }
    }

    private func value(_ name: String) -> SettingsValue? {
        known.insert(name)
        return values[name] == .null ? nil : values[name]
    }

    package func key(_ name: String) -> String {
        path.map { $0 + "." + name } ?? name
    }

    package func wrong(_ name: String, _ expected: String, _ value: SettingsValue? = nil) -> ConfigurationError {
        let text = (value ?? values[name] ?? .null).description
        let shown = text.count > Self.shownLength ? text.prefix(Self.shownLength) + "…" : text
        return ConfigurationError(key: key(name), reason: "not \(expected): \(shown)")
    }

    /// The number of characters of a wrong value that an error shows: enough to find it.
    private static let shownLength = 60

    private static func number(_ value: SettingsValue) -> Double? {
        switch value {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        default: nil
        }
    }

    /// Returns the text of a value, unless comparing it would take too long.
    private static func text(_ value: SettingsValue) -> String? {
        guard case .string(let text) = value, !CombiningMarks.areTooMany(in: text) else { return nil }
        return text
    }
}
