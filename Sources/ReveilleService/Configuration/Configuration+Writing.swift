// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
package import Varlink

extension Configuration {
    /// Every key with its value, in the form that is read; `null` stands for the device's value or the usual paths.
    package var json: JSONObject {
        [
            "battery": battery.json,
            "proximity": proximity.json,
            "orientation": orientation.json,
            "light": light.json,
            "display": display.json,
            "idleSampleInterval": Self.seconds(idleSampleInterval),
            "locale": locale.json,
            "defaults": defaults.json,
            "folders": folders.json,
            "bus": bus.json,
            "publish": publish.json,
            "lifecycle": lifecycle.json,
            "schedule": schedule.json,
        ]
    }

    static func seconds(_ duration: Duration) -> JSON {
        number(duration.inSeconds)
    }

    static func number(_ number: Double) -> JSON {
        Int64(exactly: number).map { .integer($0) } ?? .number(number)
    }

    static func paths(_ paths: [String]?) -> JSON {
        paths.map { .array($0.map { .string($0) }) } ?? .null
    }
}
