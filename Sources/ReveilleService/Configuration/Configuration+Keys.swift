// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWatchers
import ReveilleWire
package import Varlink

extension Configuration {
    /// All keys, in the order of reading and writing.
    static var keys: [ConfigurationKey] {
        [
            .section(
                "battery",
                .seconds("pollInterval", \.battery.pollInterval),
                .seconds("settleInterval", \.battery.settleInterval),
                .number("levelStep", \.battery.levelStep, in: 0...1),
                .seconds("levelInterval", \.battery.levelInterval, atLeast: 0),
                .names("ignore", \.battery.choices.ignored), .names("count", \.battery.choices.counted)),
            .section(
                "proximity",
                .seconds("sampleInterval", \.proximity.sampleInterval),
                .positive("nearLevel", \.proximity.nearLevel, atMost: Double(Int32.max))),
            .section(
                "orientation",
                .seconds("sampleInterval", \.orientation.sampleInterval),
                .seconds("settle", \.orientation.settle, atLeast: 0),
                .text("frame", \.orientation.frame, "auto, hid or iio-doc", as: \.rawValue) {
                    OrientationFrame(rawValue: $0)
                },
                .text(
                    "matrix", \.orientation.matrix, "nine numbers as in \"1, 0, 0; 0, 1, 0; 0, 0, 1\"",
                    as: { $0?.description }, read: { MountMatrix($0).map { .some($0) } }),
                .name("sensor", \.orientation.sensor)),
            .section("light", .seconds("sampleInterval", \.light.sampleInterval)),
            // Five times the scale of any display on sale.
            .section(
                "display", .positive("scale", \.display.scale, atMost: 20), .name("backlight", \.display.backlight)),
            .seconds("idleSampleInterval", \.idleSampleInterval),
            .watch,
            .section("locale", .paths("paths", \.locale.paths)),
            .section(
                "defaults",
                .paths("paths", \.defaults.paths),
                .seconds("settle", \.defaults.settle, atLeast: 0),
                .seconds("deletionGrace", \.defaults.deletionGrace, atLeast: 0)),
            .folders,
            .section(
                "bus",
                .integer("history", \.bus.history, in: 1...65_536),
                .integer("maxFrame", \.bus.maxFrame, in: 1_024...16_777_216),
                .integer("connectionsPerUser", \.bus.connectionsPerUser, in: 1...1_000_000),
                .integer("connections", \.bus.connections, in: 1...1_000_000)),
            .section(
                "publish",
                .integer("names", \.publish.names, in: Publish.nameRange), .valueSize,
                .publishPermissions),
            .section(
                "lifecycle",
                .seconds("taskTime", \.lifecycle.taskTime, atMost: Lifecycle.longestTaskTime),
                .integer("tasks", \.lifecycle.tasks, in: Lifecycle.taskRange)),
            .section(
                "schedule",
                .integer("entries", \.schedule.entries, in: Schedule.entryRange),
                .value("wake", \.schedule.wake, json: { .array($0.map(\.json)) }) {
                    section, name, _ throws(ConfigurationError) in try ConfiguredUser.list(name, of: section)
                }),
        ]
    }

    /// Every key with its value, in the form that is read; `null` stands for the device's value or the usual paths.
    package var json: JSONObject {
        JSONObject(members: Self.keys.map { JSONObject.Member(name: $0.name, value: $0.json(self)) })
    }
}

extension ConfigurationKey {
    /// A call must have room for a value, so the key follows `bus.maxFrame`.
    fileprivate static var valueSize: Self {
        value("valueSize", \.publish.valueSize, json: { .integer(Int64($0)) }) {
            section, name, configuration throws(ConfigurationError) in
            let (maxFrame, range) = (configuration.bus.maxFrame, Configuration.Publish.valueSizeRange)
            return try section.integer(
                name, in: range.lowerBound...min(range.upperBound, maxFrame - PublishedValue.callMargin),
                because: "a call has at most \(min(maxFrame, Limits.frame)) bytes (bus.maxFrame)")
        }
    }

    fileprivate static var watch: Self {
        value("watch", \.watch, json: { .array($0.aspects.map { .string($0.name) }) }) {
            section, name, _ throws(ConfigurationError) in
            let names = BuiltInAspect.ofDevice.map(\.rawValue)
            let aspects = try section.texts(
                name, each: "the name of an aspect of the device", atMost: names.count,
                hint: { Suggestion.phrase(for: $0, among: names) }, read: { BuiltInAspect(rawValue: $0) })
            for aspect in aspects ?? [] where aspect.kind != .state || aspect.isOfSubscription {
                throw section.refusing(name, because: "\(aspect) has no state to watch without a subscriber")
            }
            return aspects.map { AspectSet($0.map { Aspect($0) }) }
        }
    }

    fileprivate static var publishPermissions: Self {
        value("allow", \.publish.allow, json: { .array($0.map(\.json)) }) {
            section, name, _ throws(ConfigurationError) in
            try section.sections(name, "a list of permissions") { element throws(ConfigurationError) in
                try PublishPermission(element)
            }
        }
    }

    /// A section whose keys are names that the user chose.
    fileprivate static var folders: Self {
        value(
            "folders", \.folders,
            json: { folders in
                .object(JSONObject(members: folders.map { JSONObject.Member(name: $0.name, value: .string($0.path)) }))
            },
            read: { section, name, _ throws(ConfigurationError) in
                var list: [ConfiguredFolder] = []
                try section.section(name) { section throws(ConfigurationError) in
                    for name in section.names {
                        guard let path = try section.path(name) else { continue }
                        list.append(try ConfiguredFolder(name, path, beside: list.count, in: section))
                    }
                }
                return list
            })
    }
}

extension ConfiguredFolder {
    fileprivate init(
        _ name: String, _ path: String, beside others: Int, in section: ConfigurationSection
    ) throws(ConfigurationError) {
        let isName = name.utf8.allSatisfy { byte in
            byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        guard isName, (1...Self.nameLimit).contains(name.utf8.count) else {
            throw section.refusing(
                name, because: "not a name of 1 to \(Self.nameLimit) letters, digits, '-' and '_'")
        }
        guard others < Self.limit else { throw section.refusing(name, because: "more than \(Self.limit) folders") }
        self.init(name: name, path: path)
    }
}
