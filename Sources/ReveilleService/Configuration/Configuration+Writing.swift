// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
package import Varlink

extension Configuration {
    /// Every key with its value, in the form that is read; `null` stands for the device's value or the usual paths.
    package var json: JSONObject {
        [
            "battery": [
                "pollInterval": Self.seconds(battery.pollInterval),
                "settleInterval": Self.seconds(battery.settleInterval), "levelStep": Self.number(battery.levelStep),
                "levelInterval": Self.seconds(battery.levelInterval),
            ],
            "proximity": [
                "sampleInterval": Self.seconds(proximity.sampleInterval),
                "nearLevel": proximity.nearLevel.map(Self.number) ?? .null,
            ],
            "orientation": [
                "sampleInterval": Self.seconds(orientation.sampleInterval), "settle": Self.seconds(orientation.settle),
                "frame": .string(orientation.frame.rawValue),
                "matrix": orientation.matrix.map { .string($0.description) } ?? .null,
            ],
            "idleSampleInterval": Self.seconds(idleSampleInterval),
            "locale": ["paths": Self.paths(locale.paths)],
            "defaults": [
                "paths": Self.paths(defaults.paths), "settle": Self.seconds(defaults.settle),
                "deletionGrace": Self.seconds(defaults.deletionGrace),
            ],
            "bus": [
                "history": .integer(Int64(bus.history)), "maxFrame": .integer(Int64(bus.maxFrame)),
                "connectionsPerUser": .integer(Int64(bus.connectionsPerUser)),
                "connections": .integer(Int64(bus.connections)),
            ],
        ]
    }

    private static func seconds(_ duration: Duration) -> JSON {
        number(duration / .seconds(1))
    }

    private static func number(_ number: Double) -> JSON {
        Int64(exactly: number).map { .integer($0) } ?? .number(number)
    }

    private static func paths(_ paths: [String]?) -> JSON {
        paths.map { .array($0.map { .string($0) }) } ?? .null
    }
}
