// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Varlink

extension DiscoveryEntity {
    /// The entities of the built-in aspects.
    ///
    /// The templates test types, since a message of another version must result in "unknown" and not in an error in
    /// Home Assistant's log. There are none for `motion`, whose samples are a stream, and none for `defaults` and
    /// `folders`, whose values are lists.
    static let builtIn: [DiscoveryEntity] =
        battery + orientation + proximity + light + display + network + power + locale + shake

    private static let battery = [
        percent("battery", of: "battery", "Battery", "level", ["device_class": "battery"]),
        DiscoveryEntity(
            "charging", of: "battery", .binarySensor, "Charging",
            flag(
                "value_json.value.chargeStatus", on: ["charging"], off: ["discharging", "notCharging", "full"]),
            ["device_class": "battery_charging"]),
        DiscoveryEntity(
            "plugged", of: "battery", .binarySensor, "Plugged in", flag("plugged"), ["device_class": "plug"]),
    ]

    /// Something near is an occupancy: Home Assistant has no better class, and displays "detected" and "clear".
    private static let proximity = [
        DiscoveryEntity(
            "near", of: "proximity", .binarySensor, "Proximity",
            flag("value_json.value.state", on: ["near"], off: ["far"]), ["device_class": "occupancy"])
    ]

    private static let orientation = [
        choice(
            "pose", of: "orientation", "Pose",
            ["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown"])
    ]

    private static let light = [
        measurement("illuminance", of: "light", "Illuminance", "lux", "lx", ["device_class": "illuminance"])
    ]

    private static let display = [
        percent("brightness", of: "display", "Brightness", "brightness", ["icon": "mdi:brightness-6"])
    ]

    private static let network = [
        DiscoveryEntity(
            "network", of: "network", .binarySensor, "Network", flag("reachable"),
            ["device_class": "connectivity", "entity_category": "diagnostic"]),
        choice(
            "network_kind", of: "network", "Network kind", ["ethernet", "wifi", "cellular", "other"],
            ["entity_category": "diagnostic"], member: "kind"),
    ]

    /// The voltages of packs are left out: they have no sum.
    private static let power = [
        measurement("power", of: "power", "Battery power", "power", "W", ["device_class": "power"]),
        // `energy` would be a counter of what was consumed.
        measurement("energy", of: "power", "Battery energy", "energy", "Wh", ["device_class": "energy_storage"]),
        percent("health", of: "power", "Battery health", "health", ["entity_category": "diagnostic"]),
        measurement("time_to_empty", of: "power", "Time to empty", "timeToEmpty", "s", ["device_class": "duration"]),
        measurement("time_to_full", of: "power", "Time to full", "timeToFull", "s", ["device_class": "duration"]),
        DiscoveryEntity(
            "temperature", of: "power", .sensor, "Battery temperature",
            // That of the warmest pack.
            "(value_json.value.packs if value_json.value.packs is defined and value_json.value.packs is sequence"
                + " else []) | map(attribute='temperature') | select('number') | max | default(None)",
            [
                "device_class": "temperature", "unit_of_measurement": "°C", "state_class": "measurement",
                "suggested_display_precision": 1, "entity_category": "diagnostic",
            ]),
    ]

    private static let locale = [
        DiscoveryEntity(
            "locale", of: "locale", .sensor, "Locale",
            "value_json.value.identifier if value_json.value.identifier is string else None",
            ["entity_category": "diagnostic", "icon": "mdi:translate"])
    ]

    /// Each shake is an event.
    ///
    /// A message with `changes` 0 repeats the last one for a broker that had lost it.
    private static let shake = [
        DiscoveryEntity(
            "shake", of: "shake", .event, "Shake",
            "{'event_type': 'shake', 'peak': value_json.value.peak, 'changes': value_json.changes} | tojson"
                + " if value_json.value.peak is number and value_json.changes is integer and value_json.changes > 0"
                + " else ''",
            ["event_types": ["shake"], "icon": "mdi:vibrate"])
    ]

    // MARK: - Kinds of values

    /// A number in a unit, as it is.
    private static func measurement(
        _ key: String, of aspect: String, _ name: String, _ member: String, _ unit: String, _ traits: JSONObject
    ) -> Self {
        let value = "value_json.value.\(member)"
        return DiscoveryEntity(
            key, of: aspect, .sensor, name, "\(value) if \(value) is number and \(value) is not boolean else None",
            traits + [
                "unit_of_measurement": .string(unit), "state_class": "measurement", "suggested_display_precision": 0,
            ])
    }

    /// A part of one as percent.
    private static func percent(
        _ key: String, of aspect: String, _ name: String, _ member: String, _ traits: JSONObject
    ) -> Self {
        let value = "value_json.value.\(member)"
        return DiscoveryEntity(
            key, of: aspect, .sensor, name,
            "(\(value) * 100) | round | int if \(value) is number and \(value) is not boolean else None",
            traits + ["unit_of_measurement": "%", "state_class": "measurement"])
    }

    /// One of several words; a word of a later version is unknown, since Home Assistant refuses it.
    private static func choice(
        _ key: String, of aspect: String, _ name: String, _ words: [String], _ traits: JSONObject = [:],
        member: String? = nil
    ) -> Self {
        let value = "value_json.value.\(member ?? key)"
        return DiscoveryEntity(
            key, of: aspect, .sensor, name, "\(value) if \(value) in \(list(words)) else None",
            traits + ["device_class": "enum", "options": .array(words.map { .string($0) })])
    }

    /// A boolean.
    private static func flag(_ member: String) -> String {
        let value = "value_json.value.\(member)"
        return "'ON' if \(value) is true else 'OFF' if \(value) is false else None"
    }

    /// A boolean that is expressed by words.
    private static func flag(_ value: String, on: [String], off: [String]) -> String {
        "'ON' if \(value) in \(list(on)) else 'OFF' if \(value) in \(list(off)) else None"
    }

    private static func list(_ words: [String]) -> String {
        "[" + words.map { "'\($0)'" }.joined(separator: ", ") + "]"
    }
}

extension JSONObject {
    /// The members of both.
    fileprivate static func + (one: JSONObject, other: JSONObject) -> JSONObject {
        JSONObject(members: one.members + other.members)
    }
}
