// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleService
import ReveilleWatchers
import Varlink

/// Checks that a configuration is within its limits or rejected with a reason, and that plain JSON is accepted as JSON5.
enum ConfigurationTarget {
    static func check(_ bytes: [UInt8]) throws(Falsified) {
        let configuration: Configuration
        do {
            configuration = try Configuration(parsing: bytes)
        } catch {
            try require(!error.reason.isEmpty, "a reason")
            let isRefused = error.key == nil && error.reason != "not an object"
            try require(!isRefused || (try? JSON.parse(bytes)) == nil, "JSON is JSON5: \(error)")
            return
        }
        let year = Duration.seconds(366 * 86_400)
        let positive = [
            configuration.battery.pollInterval, configuration.battery.settleInterval,
            configuration.proximity.sampleInterval, configuration.orientation.sampleInterval,
            configuration.idleSampleInterval,
        ]
        for time in positive { try require(time > .zero && time < year, "an interval, not \(time)") }
        let times = [
            configuration.battery.levelInterval, configuration.orientation.settle, configuration.defaults.settle,
            configuration.defaults.deletionGrace,
        ]
        for time in times { try require(time >= .zero && time < year, "a time, not \(time)") }
        try require((0...1).contains(configuration.battery.levelStep), "a step from 0 to 1")
        try require(configuration.proximity.nearLevel.map { $0 > 0 && $0.isFinite } ?? true, "a near level")
        try require(configuration.display.scale.map { $0 > 0 && $0.isFinite } ?? true, "a scale")
        let counts = [
            configuration.bus.history, configuration.bus.maxFrame, configuration.bus.connections,
            configuration.bus.connectionsPerUser,
        ]
        for count in counts { try require(count > 0 && count <= 1 << 24, "a limit, not \(count)") }
        let paths = (configuration.locale.paths ?? []) + (configuration.defaults.paths ?? [])
        for path in paths { try require(!path.isEmpty, "a path has a name") }
    }
}
