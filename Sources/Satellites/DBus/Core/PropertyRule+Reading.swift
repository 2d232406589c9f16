// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

extension PropertyRule {
    private static let property = "a property, such as State, org.example.Other.State or 'State: number'"

    /// Reads a rule in JSON5.
    init(reading section: ConfigurationSection, _ key: String) throws(ConfigurationError) {
        let bus = try section.text("bus", Suggestion.list(Bus.allCases.map(\.rawValue)), read: { Bus(rawValue: $0) })
        let service = try section.text(
            "service", "the name of a service, or a pattern such as org.example.*", read: { ServiceName($0) })
        let interface = try section.text("interface", "the name of an interface", read: Self.interface)
        let name = try section.text(
            "name", "a name such as org.example.player.{service}, whose first word has no part",
            read: { NameTemplate($0) })
        let objects = try Self.objects(section)
        var members: [Member] = []
        try section.section("properties") { properties throws(ConfigurationError) in
            for name in properties.names where name != Cut.member {
                let member = try properties.text(name, Self.property) { Self.member(name, $0, of: interface ?? "") }
                if let member { members.append(member) }
            }
        }
        try section.section("words") { words throws(ConfigurationError) in
            for index in members.indices {
                try words.section(members[index].name) { words throws(ConfigurationError) in
                    for number in words.names {
                        guard let value = Int64(number) else {
                            throw words.refusing(number, because: "not a whole number in quotes, such as \"10\"")
                        }
                        members[index].words[value] = try words.text(number, "a word", read: { $0 })
                    }
                }
            }
        }
        var conditions: [Property: Bool] = [:]
        try section.section("where") { values throws(ConfigurationError) in
            for name in values.names {
                guard let property = Self.property(name, of: interface ?? "") else {
                    throw values.refusing(name, because: "not \(Self.property)")
                }
                conditions[property] = try values.flag(name)
            }
        }
        // Before the check for missing keys, so that the error names a misspelled key.
        try section.rejectUnknownKeys()
        guard let objects else {
            throw section.refusing(
                "path", because: "a rule has either path, or objects (an ObjectManager's path) with below and list")
        }
        guard !members.isEmpty else {
            throw section.refusing(
                "properties", because: "missing: list the properties to publish, such as { state: \"State\" }")
        }
        self.init(
            key: key, bus: try section.required("bus", bus), service: try section.required("service", service),
            objects: objects, interface: try section.required("interface", interface), members: members,
            conditions: conditions, name: try section.required("name", name))
        try checkName(section)
    }

    /// Refuses a name that several objects would have, or that has a part which none needs.
    private func checkName(_ section: ConfigurationSection) throws(ConfigurationError) {
        guard name.hasService == service.isPattern, name.hasPath == (path == nil) else {
            let parts = [(service.isPattern, "{service}"), (path == nil, "{path}")].filter(\.0).map(\.1)
            let expected = parts.isEmpty ? "no part in braces" : parts.joined(separator: " and ")
            throw section.refusing("name", because: "must contain \(expected): \(name.text)")
        }
    }

    private static func objects(_ section: ConfigurationSection) throws(ConfigurationError) -> Objects? {
        func path(_ name: String) throws(ConfigurationError) -> String? {
            try section.text(name, "a path, such as /org/example/App") { ObjectPath.isValid($0) ? $0 : nil }
        }
        let isSettings = try section.flag("settings") ?? false
        let list = try section.text("list", "a method with its interface") { Self.property($0, of: "") }
        let (alias, below) = (try path("alias"), try path("below"))
        switch (try path("path"), try path("objects")) {
        case (let path?, nil) where below == nil && list == nil:
            if let alias { return .alias(path, of: alias) }
            return isSettings ? .settings(at: path) : .path(path)
        case (nil, let manager?) where alias == nil && !isSettings:
            let (interface, member) = ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
            let method = Method(path: manager, interface: list?.interface ?? interface, member: list?.name ?? member)
            return .listed(by: method, below: below ?? manager)
        default: return nil
        }
    }

    private static func interface(_ text: String) -> String? {
        ServiceName(text).flatMap { $0.isPattern ? nil : text }
    }

    private static func property(_ text: String, of interface: String) -> Property? {
        let dot = text.lastIndex(of: ".")
        let name = dot.map { String(text[$0...].dropFirst()) } ?? text
        guard (1...NameRule.lengthLimit).contains(name.utf8.count), name.utf8.allSatisfy(NameRule.isAllowed)
        else { return nil }
        guard let dot else { return Property(interface: interface, name: name) }
        return Self.interface(String(text[..<dot])).map { Property(interface: $0, name: name) }
    }

    static func member(_ name: String, _ text: String, of interface: String) -> Member? {
        let parts = text.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let kind = parts.count > 1 ? Kind(rawValue: parts[1]) : nil
        guard (kind != nil) == (parts.count > 1), !name.isEmpty else { return nil }
        return property(parts[0], of: interface).map { Member(name: name, property: $0, kind: kind) }
    }
}
