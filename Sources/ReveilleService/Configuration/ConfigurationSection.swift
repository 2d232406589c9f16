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

    /// A duration in seconds, at least a millisecond unless it is 0 and `orZero`; at most a year, which is what
    /// "never" may mean.
    func seconds(
        _ name: String, orZero: Bool = false, into result: inout Duration
    ) throws(ConfigurationError) {
        let longest = 365.0 * 86_400
        guard let value = value(name) else { return }
        // A shorter one is no time at all for a timer, and what repeats would do nothing else.
        let shortest = 0.001
        guard let seconds = value.numberValue, seconds <= longest, seconds >= shortest || orZero && seconds == 0 else {
            throw wrong(name, "a number of seconds\(orZero ? ", 0 or" : "") from \(shortest) to \(Int(longest))")
        }
        result = .seconds(seconds)
    }

    func number(
        _ name: String, in range: ClosedRange<Double>, into result: inout Double
    ) throws(ConfigurationError) {
        guard let value = value(name) else { return }
        guard let number = value.numberValue, range.contains(number) else {
            throw wrong(name, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        result = number
    }

    func integer(_ name: String, in range: ClosedRange<Int>, into result: inout Int) throws(ConfigurationError) {
        guard let value = value(name) else { return }
        guard let integer = value.integerValue, range.contains(Int(integer)) else {
            throw wrong(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        result = Int(integer)
    }

    func text<Value>(
        _ name: String, _ expected: String, read: (String) -> Value?
    ) throws(ConfigurationError) -> Value? {
        guard let value = value(name) else { return nil }
        guard let result = value.stringValue.flatMap(read) else { throw wrong(name, expected) }
        return result
    }

    func strings(_ name: String) throws(ConfigurationError) -> [String]? {
        guard let value = value(name) else { return nil }
        guard let values = value.arrayValue else { throw wrong(name, "a list of paths") }
        var strings: [String] = []
        for value in values {
            guard let string = value.stringValue, !string.isEmpty else { throw wrong(name, "a list of paths") }
            strings.append(string)
        }
        return strings
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

    private func wrong(_ name: String, _ expected: String) -> ConfigurationError {
        ConfigurationError(key: key(name), reason: "not \(expected)")
    }
}
