// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Varlink

/// The keys of one object of a configuration, taken one by one; what is left over is unknown.
final class ConfigurationSection {
    private let object: JSONObject
    private let path: String?
    private var known: Set<String> = []

    init(_ value: JSON, path: String?) throws(ConfigurationError) {
        guard let object = value.objectValue else {
            throw ConfigurationError(key: path, reason: "not an object")
        }
        self.object = object
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

    /// A duration in seconds, at least what a timer can be used for, or 0 where that means none.
    func seconds(
        _ name: String, atLeast shortest: Double = Configuration.shortestInterval, into result: inout Duration
    ) throws(ConfigurationError) {
        let range = shortest...Configuration.longestInterval
        guard let value = value(name) else { return }
        guard let seconds = value.numberValue, range.contains(seconds) else {
            throw wrong(
                name, "a number of seconds from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))")
        }
        result = .seconds(seconds)
    }

    func number(
        _ name: String, in range: ClosedRange<Double>, into result: inout Double
    ) throws(ConfigurationError) {
        guard let value = value(name) else { return }
        guard let number = value.numberValue, range.contains(number) else {
            throw wrong(name, "a number from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))")
        }
        result = number
    }

    func integer(_ name: String, in range: ClosedRange<Int>, into result: inout Int) throws(ConfigurationError) {
        guard let value = value(name) else { return }
        guard let integer = value.integerValue.flatMap({ Int(exactly: $0) }), range.contains(integer) else {
            throw wrong(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        result = integer
    }

    func text<Value>(
        _ name: String, _ expected: String, read: (String) -> Value?
    ) throws(ConfigurationError) -> Value? {
        guard let value = value(name) else { return nil }
        guard let result = value.stringValue.flatMap(read) else { throw wrong(name, expected) }
        return result
    }

    /// A list of files and directories, each from the root or from the home directory: a service has no directory
    /// of its own that others could be taken from.
    func paths(_ name: String) throws(ConfigurationError) -> [String]? {
        guard let value = value(name) else { return nil }
        guard let values = value.arrayValue else { throw wrong(name, "a list of paths") }
        var paths: [String] = []
        for value in values {
            guard let path = value.stringValue else { throw wrong(name, "a list of paths") }
            guard path.hasPrefix("/") || path.hasPrefix("~/"), !path.utf8.contains(0) else {
                throw wrong(name, "an absolute path, which begins with / or ~/", value)
            }
            paths.append(path)
        }
        return paths
    }

    func rejectUnknownKeys() throws(ConfigurationError) {
        for member in object.members where !known.contains(member.name) {
            throw ConfigurationError(key: key(member.name), reason: "unknown key")
        }
    }

    private func value(_ name: String) -> JSON? {
        known.insert(name)
        guard let value = object[name], !value.isNull else { return nil }
        return value
    }

    private func key(_ name: String) -> String {
        path.map { $0 + "." + name } ?? name
    }

    private func wrong(_ name: String, _ expected: String, _ value: JSON? = nil) -> ConfigurationError {
        let text = (value ?? object[name] ?? .null).description
        let shown = text.count > Self.shownLength ? text.prefix(Self.shownLength) + "…" : text
        return ConfigurationError(key: key(name), reason: "not \(expected): \(shown)")
    }

    /// How much of a wrong value is shown: enough to find it by.
    private static let shownLength = 60

    private static func text(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }
}
