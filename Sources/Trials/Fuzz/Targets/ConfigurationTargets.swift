// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleetCore
import ReveilleService
import ReveilleSimulation
import ReveilleWatchers
import Varlink

/// Checks that a configuration is within its limits or rejected with a reason, and that plain JSON is accepted as JSON5.
enum ConfigurationTarget {
    static func check(_ bytes: [UInt8]) throws(Broken) {
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

/// Checks that a bridge's configuration is within its limits and survives printing, or is rejected with a reason.
enum BridgeTarget {
    static func check(_ bytes: [UInt8]) throws(Broken) {
        guard let configuration = try? BridgeConfiguration(parsing: bytes) else { return }
        let printed = JSON.object(configuration.json).bytes
        try require((try? BridgeConfiguration(parsing: printed)) == configuration, "the same after printing")
        let day = Duration.seconds(86_400)
        try require(configuration.keepAlive >= .seconds(1) && configuration.keepAlive <= day, "a keep-alive")
        try require(configuration.interval >= .zero && configuration.interval <= day, "an interval")
        try require(configuration.wakeEvery.map { $0 >= .seconds(1) && $0 <= day } ?? true, "a time between wakes")
        try require(!configuration.aspects.isEmpty, "something to publish")
        try require(configuration.aspects.contains(.defaults) != configuration.domains.isEmpty, "domains of settings")
        try require(configuration.desired.allSatisfy { $0.builtIn == nil }, "desired names are published ones")
        let broker = configuration.broker
        try require(broker.address.isLocal || broker.address.usesTLS, "TLS to another machine")
        for path in [broker.ca, broker.certificate, broker.key, broker.passwordFile] {
            try require(path?.hasPrefix("/") ?? true, "an absolute path")
        }
    }
}
