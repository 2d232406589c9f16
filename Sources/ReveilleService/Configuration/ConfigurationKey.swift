// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

/// A key of the configuration, or a section of keys: how its value is read and written.
struct ConfigurationKey {
    let name: String
    /// Reads the value from the section of the key; a key that is absent or null leaves the default.
    let read: (ConfigurationSection, inout Configuration) throws(ConfigurationError) -> Void
    let json: (Configuration) -> JSON

    static func section(_ name: String, _ keys: ConfigurationKey...) -> Self {
        Self(
            name: name,
            read: { section, configuration throws(ConfigurationError) in
                try section.section(name) { section throws(ConfigurationError) in
                    for key in keys { try key.read(section, &configuration) }
                }
            },
            json: { configuration in
                .object(
                    JSONObject(members: keys.map { JSONObject.Member(name: $0.name, value: $0.json(configuration)) }))
            })
    }

    /// A key of any type; `read` gets the keys before it, and returns `nil` for the default.
    static func value<Value>(
        _ name: String, _ path: WritableKeyPath<Configuration, Value>, json: @escaping (Value) -> JSON,
        read: @escaping (ConfigurationSection, String, Configuration) throws(ConfigurationError) -> Value?
    ) -> Self {
        Self(
            name: name,
            read: { section, configuration throws(ConfigurationError) in
                if let value = try read(section, name, configuration) { configuration[keyPath: path] = value }
            },
            json: { json($0[keyPath: path]) })
    }

    /// A number of seconds, at least the shortest interval, or 0 where this means none.
    static func seconds(
        _ name: String, _ path: WritableKeyPath<Configuration, Duration>,
        atLeast shortest: Double = ConfigurationSection.shortestInterval,
        atMost longest: Double = ConfigurationSection.longestInterval
    ) -> Self {
        value(name, path, json: { number($0.inSeconds) }) { section, name, _ throws(ConfigurationError) in
            try section.seconds(name, in: shortest...longest)
        }
    }

    static func number(
        _ name: String, _ path: WritableKeyPath<Configuration, Double>, in range: ClosedRange<Double>
    ) -> Self {
        value(name, path, json: number) { section, name, _ throws(ConfigurationError) in
            try section.number(name, in: range)
        }
    }

    /// A number that is `nil` by default; 0 also stands for `nil`.
    static func positive(
        _ name: String, _ path: WritableKeyPath<Configuration, Double?>, atMost limit: Double
    ) -> Self {
        value(name, path, json: { $0.map(number) ?? .null }) { section, name, _ throws(ConfigurationError) in
            let number = try section.number(name, in: 0...limit) ?? 0
            return number > 0 ? .some(number) : nil
        }
    }

    static func integer(
        _ name: String, _ path: WritableKeyPath<Configuration, Int>, in range: ClosedRange<Int>
    ) -> Self {
        value(name, path, json: { .integer(Int64($0)) }) { section, name, _ throws(ConfigurationError) in
            try section.integer(name, in: range)
        }
    }

    /// The most devices in a list: no machine has as many power supplies.
    private static let mostDevices = 64
    private static let device = "the name of a device"

    private static func isDevice(_ name: String) -> Bool { !name.isEmpty && !name.contains("/") }

    /// The name of a device; `nil` by default.
    static func name(_ name: String, _ path: WritableKeyPath<Configuration, String?>) -> Self {
        text(name, path, device, as: { $0 }) { isDevice($0) ? .some($0) : nil }
    }

    static func names(_ name: String, _ path: WritableKeyPath<Configuration, [String]>) -> Self {
        value(name, path, json: { .array($0.map { .string($0) }) }) { section, name, _ throws(ConfigurationError) in
            try section.texts(name, each: device, atMost: mostDevices) { isDevice($0) ? $0 : nil }
        }
    }

    /// A list of files and directories; `nil` by default.
    static func paths(_ name: String, _ path: WritableKeyPath<Configuration, [String]?>) -> Self {
        value(name, path, json: { $0.map { .array($0.map { .string($0) }) } ?? .null }) {
            section, name, _ throws(ConfigurationError) in try section.paths(name)
        }
    }

    static func text<Value>(
        _ name: String, _ path: WritableKeyPath<Configuration, Value>, _ expected: String,
        as text: @escaping (Value) -> String?, read: @escaping (String) -> Value?
    ) -> Self {
        value(name, path, json: { text($0).map { .string($0) } ?? .null }) {
            section, name, _ throws(ConfigurationError) in try section.text(name, expected, read: read)
        }
    }

    private static func number(_ number: Double) -> JSON {
        Int64(exactly: number).map { .integer($0) } ?? .number(number)
    }
}
