// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleetCore
import Varlink

/// Checks that a bridge's configuration is within its limits and survives printing, or is rejected with a reason.
enum BridgeTarget {
    static func check(_ bytes: [UInt8]) throws(Falsified) {
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
