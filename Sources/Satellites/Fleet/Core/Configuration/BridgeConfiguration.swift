// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// The configuration of a bridge; only the broker has no default.
package struct BridgeConfiguration: Sendable, Hashable {
    /// The identity of the device; `nil` to derive it from the machine's identity.
    package var device: DeviceID?
    package var broker: FleetBroker
    /// The aspects and names that are published.
    package var aspects: [Aspect] = Self.usualAspects
    /// The domains of settings that may leave the device, by their exact names; empty without the aspect `defaults`.
    package var domains: [String] = []
    /// The names and patterns that the fleet may set on the device's own bus.
    package var desired: [Aspect] = []
    /// The groups of the device; if several groups set a name, the first one wins.
    package var groups: [String] = []
    /// The least time between two messages of an aspect; zero for none.
    package var interval: Duration = .zero
    /// The time between two wakes of a device that disconnects in between; `nil` for a device that stays connected.
    package var wakeEvery: Duration?
    /// The time without a message after which the connection is checked.
    package var keepAlive: Duration = Self.usualKeepAlive
    /// The prefix of announcements to Home Assistant; `nil` for no announcements.
    package var homeAssistant: String?

    package init(broker: FleetBroker) {
        self.broker = broker
    }

    /// The aspects that say nothing about the device's user.
    ///
    /// Others, such as settings and the locale, must be listed.
    package static let usualAspects: [Aspect] = [.battery, .proximity, .orientation]
    /// The default keep-alive: less than the 350 seconds after which common load balancers forget a silent connection.
    package static let usualKeepAlive: Duration = .seconds(300)
    /// The topic below which Home Assistant expects announcements by default.
    package static let usualPrefix = "homeassistant"

    /// The range of ``interval`` in seconds: at most an hour, since beyond it waking is cheaper.
    static let intervalRange = 0.0...3_600.0
    /// The range of ``wakeEvery`` in whole seconds: at most a day, as long as the broker keeps the session.
    static let wakeRange = 1...86_400
    /// The range of ``keepAlive`` in whole seconds: from the round trip of a mobile network to the maximum of 16 bits.
    static let keepAliveRange = 5...65_535
    /// The most aspects, names and patterns to publish: the bus's limit for a subscription.
    package static let aspectLimit = 64
    /// The most groups of a device: each is a subscription, and an administrator cannot keep more apart.
    static let groupLimit = 64
    /// The most names and patterns that the fleet may set.
    static let desiredLimit = 1_000
    /// The most domains of settings: more than a user has.
    static let domainLimit = 1_000
    /// The longest name of a domain in bytes: the longest name of a file.
    static let domainNameLimit = 255
    /// The longest prefix of announcements in bytes: the rest of a topic, of at most 65,535 bytes, needs room.
    static let prefixLimit = 255
}

extension BridgeConfiguration {
    /// Every key with its value, in the form for reading; unused keys are `null`.
    package var json: JSONObject {
        [
            "device": Self.text(device?.text),
            "broker": .string(broker.address.description),
            "ca": Self.text(broker.ca),
            "certificate": Self.text(broker.certificate),
            "key": Self.text(broker.key),
            "user": Self.text(broker.user),
            "passwordFile": Self.text(broker.passwordFile),
            "aspects": .array(aspects.map { .string($0.name) }),
            "domains": .array(domains.map { .string($0) }),
            "desired": .array(desired.map { .string($0.name) }),
            "groups": .array(groups.map { .string($0) }),
            "interval": Self.seconds(interval),
            "wakeEvery": wakeEvery.map(Self.seconds) ?? .null,
            "keepAlive": Self.seconds(keepAlive),
            "homeAssistant": homeAssistant.map { .string($0) } ?? false,
        ]
    }

    private static func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }

    private static func seconds(_ duration: Duration) -> JSON {
        let seconds = duration.inSeconds
        return Int64(exactly: seconds).map { .integer($0) } ?? .number(seconds)
    }
}
