// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// A reader of one object of a configuration: keys that are never read are unknown.
final class ConfigurationSection {
    private let values: [String: SettingsValue]
    private let path: String?
    private var known: Set<String> = []

    init(_ value: SettingsValue, path: String?) throws(ConfigurationError) {
        guard case .dictionary(let values) = value else {
            throw ConfigurationError(key: path, reason: "not an object")
        }
        self.values = values
        self.path = path
    }

    func section(
        _ name: String, read: (ConfigurationSection) throws(ConfigurationError) -> Void
    ) throws(ConfigurationError) {
        guard let value = value(name) else { return }
        let section = try ConfigurationSection(value, path: key(name))
        try read(section)
        try section.rejectUnknownKeys()
    }

    /// Reads a duration in seconds, at least the shortest interval, or from 0 where that means none.
    func seconds(
        _ name: String, atLeast shortest: Double = Configuration.shortestInterval,
        atMost longest: Double = Configuration.longestInterval, into result: inout Duration
    ) throws(ConfigurationError) {
        let range = shortest...longest
        if let seconds = try number(name, "a number of seconds", in: range) { result = .seconds(seconds) }
    }

    func number(
        _ name: String, in range: ClosedRange<Double>, into result: inout Double
    ) throws(ConfigurationError) {
        if let number = try number(name, "a number", in: range) { result = number }
    }

    private func number(
        _ name: String, _ expected: String, in range: ClosedRange<Double>
    ) throws(ConfigurationError) -> Double? {
        guard let value = value(name) else { return nil }
        guard let number = Self.number(value), range.contains(number) else {
            throw wrong(name, "\(expected) from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))")
        }
        return number
    }

    func integer(
        _ name: String, in range: ClosedRange<Int>, because reason: String? = nil, into result: inout Int
    ) throws(ConfigurationError) {
        guard let value = value(name) else { return }
        guard case .integer(let integer) = value, let integer = Int(exactly: integer), range.contains(integer) else {
            let reason = reason.map { " (\($0))" } ?? ""
            throw wrong(name, "a whole number from \(range.lowerBound) to \(range.upperBound)\(reason)")
        }
        result = integer
    }

    func text<Value>(
        _ name: String, _ expected: String, read: (String) -> Value?
    ) throws(ConfigurationError) -> Value? {
        guard let value = value(name) else { return nil }
        guard let result = Self.text(value).flatMap(read) else { throw wrong(name, expected) }
        return result
    }

    /// Reads a list of files and directories, each absolute or below the home directory, since a service has no useful
    /// working directory.
    func paths(_ name: String) throws(ConfigurationError) -> [String]? {
        try list(name, "a list of paths") { value throws(ConfigurationError) in
            guard let path = Self.text(value) else { throw wrong(name, "a list of paths") }
            return try absolute(path, name)
        }
    }

    /// Reads the path of a directory.
    func path(_ name: String) throws(ConfigurationError) -> String? {
        guard let path = try text(name, "a path", read: { $0 }) else { return nil }
        return try absolute(path, name)
    }

    private func absolute(_ path: String, _ name: String) throws(ConfigurationError) -> String {
        guard path.hasPrefix("/") || path.hasPrefix("~/"), !path.utf8.contains(0) else {
            throw wrong(name, "an absolute path, which begins with / or ~/", .string(path))
        }
        return path
    }

    /// Reads a list of users, each by its name or number.
    func users(_ name: String) throws(ConfigurationError) -> [ConfiguredUser]? {
        try list(name, "a list of users") { value throws(ConfigurationError) in
            do throws(SystemError) {
                if let user = try ConfiguredUser(value) { return user }
            } catch {
                throw ConfigurationError(key: key(name), reason: "\(error)")
            }
            throw wrong(name, "a user of this system", value)
        }
    }

    /// Reads a list of objects, whose keys are named after their place: `publish.allow[0].users`.
    func sections<Element>(
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

    private func list<Element>(
        _ name: String, _ expected: String, read: (SettingsValue) throws(ConfigurationError) -> Element
    ) throws(ConfigurationError) -> [Element]? {
        guard let value = value(name) else { return nil }
        guard case .array(let values) = value else { throw wrong(name, expected) }
        var elements: [Element] = []
        for value in values { elements.append(try read(value)) }
        return elements
    }

    /// Returns the value of a key that has no default.
    func required<Value>(_ name: String, _ value: Value?) throws(ConfigurationError) -> Value {
        guard let value else { throw ConfigurationError(key: key(name), reason: "missing") }
        return value
    }

    /// The keys of a section whose keys are names that the user chose.
    var names: [String] { values.keys.sorted() }

    /// Returns the error of a key whose name is not allowed.
    func refusing(_ name: String, because reason: String) -> ConfigurationError {
        ConfigurationError(key: key(name), reason: reason)
    }

    func rejectUnknownKeys() throws(ConfigurationError) {
        for name in values.keys.sorted() where !known.contains(name) {
            throw ConfigurationError(key: key(name), reason: "unknown key")
        }
    }

    private func value(_ name: String) -> SettingsValue? {
        known.insert(name)
        return values[name] == .null ? nil : values[name]
    }

    private func key(_ name: String) -> String {
        path.map { $0 + "." + name } ?? name
    }

    private func wrong(_ name: String, _ expected: String, _ value: SettingsValue? = nil) -> ConfigurationError {
        let text = (value ?? values[name] ?? .null).description
        let shown = text.count > Self.shownLength ? text.prefix(Self.shownLength) + "…" : text
        return ConfigurationError(key: key(name), reason: "not \(expected): \(shown)")
    }

    /// The number of characters of a wrong value that an error shows: enough to find it.
    private static let shownLength = 60

    private static func text(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }

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
