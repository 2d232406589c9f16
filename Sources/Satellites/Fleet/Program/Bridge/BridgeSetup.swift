// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleCore
import ReveilleFleet
import ReveilleFleetCore
import ReveilleHost
import ReveilleMQTT
import ReveilleSystem
import Varlink

/// A configuration with this machine's additions: credentials and the identity of the device.
struct BridgeSetup {
    /// How many seconds the broker keeps the session of an absent device.
    private static let sessionExpiry: UInt32 = 86_400
    /// How many seconds the broker waits for a device to return before it publishes the loss.
    private static let willDelay: UInt32 = 30

    let configuration: BridgeConfiguration
    let device: DeviceID

    /// Returns the path of the configuration of the system, or of the user who runs the bridge.
    static func usualPath() throws(Failure) -> String {
        if getuid() == 0 { return "/etc/reveille/fleet.json5" }
        guard let path = ConfigurationPath.usual("fleet.json5") else {
            throw Failure(.usage, "$HOME is not set; give a file with --config")
        }
        return path
    }

    static func read(_ path: String) throws(Failure) -> BridgeSetup {
        var configuration = try ConfigurationPath.read(path, limit: BridgeConfiguration.sizeLimit) { bytes in
            Result { () throws(ConfigurationError) in
                var configuration = try BridgeConfiguration(parsing: bytes)
                configuration.broker.complete(with: Credentials.path)
                try configuration.broker.check()
                return configuration
            }
        }
        do throws(ConfigurationError) {
            try configuration.broker.readPassword()
            let device = if let named = configuration.device { named } else { try ownDevice() }
            return BridgeSetup(configuration: configuration, device: device)
        } catch {
            throw Failure(.configuration, "\(error)")
        }
    }

    private static func ownDevice() throws(ConfigurationError) -> DeviceID {
        do {
            return try DeviceID(try MachineIdentity.forNetworks())
        } catch {
            throw ConfigurationError(key: "device", reason: "missing, and this machine has no identity: \(error)")
        }
    }

    func print() throws(Failure) {
        var json = configuration.json
        json["device"] = .string(device.text)
        try Console.json(.object(json))
    }

    var subscription: SubscriptionRequest {
        let aspects = AspectSet(configuration.aspects)
        let policy = Policy(interval: configuration.interval)
        // A device that connects for its wakes only is not told when its machine sleeps.
        let followed = configuration.wakeEvery == nil ? aspects.union(Uplink.machineAspects) : aspects
        let paced = configuration.interval >= .milliseconds(1) ? aspects.aspects : []
        return SubscriptionRequest(
            aspects: followed, name: "reveille-fleet bridge",
            policies: Dictionary(uniqueKeysWithValues: paced.map { ($0, policy) }))
    }

    var connection: MQTTConnection.Options {
        var options = MQTTConnection.Options(broker: configuration.broker, clientID: device.text)
        options.cleanStart = false
        options.sessionExpiry = Self.sessionExpiry
        options.keepAlive = UInt16(clamping: configuration.keepAlive.components.seconds)
        // As long as a good connection lasts, so that an unanswered request is not taken for the work of a clone.
        options.answerPatience = .microseconds(Uplink.steady)
        options.will = MQTTConnection.Will(
            topic: FleetTopic.status(device).text, payload: Uplink.will.bytes, delay: Self.willDelay,
            expiry: StatusMessage.lease)
        return options
    }
}
