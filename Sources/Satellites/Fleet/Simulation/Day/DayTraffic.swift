// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleFleetCore

/// What a device exchanges with the broker in a day.
package struct DayTraffic {
    /// The device, whose name is as long as an identity derived from a machine ID.
    static let device = "3f2a9c0d5b7e4a618c2f0d1e9b3a7c54"
    /// The root of the device's topics.
    private static let root = FleetTopic.root + "/" + device

    /// The states that were published.
    package private(set) var messages = 0
    /// The changes that they stand for.
    package private(set) var changes = 0
    /// The bytes of states and their acknowledgments.
    private(set) var stateBytes = 0
    /// The bytes of PINGREQ and PINGRESP.
    private(set) var keepAliveBytes = 0
    /// The bytes of everything that a connection needs: CONNECT, statuses, subscriptions, DISCONNECT.
    private(set) var sessionBytes = 0
    /// The number of keep-alives.
    private(set) var keepAlives = 0
    /// The number of statuses, which are retained as well.
    private(set) var statuses = 0
    /// The number of connections.
    private(set) var connections = 0
    /// All packets, in both directions.
    private var packets = 0

    /// All bytes of MQTT, in both directions.
    var bytes: Int { stateBytes + keepAliveBytes + sessionBytes }
    /// All bytes with TLS, TCP and IP, of which those below MQTT are an estimate.
    var onWire: Int {
        PacketSize.onWire(bytes: bytes, packets: packets)
            + connections * (PacketSize.handshake + PacketSize.handshakeSegments * PacketSize.segment)
    }

    /// Adds a state and its acknowledgment.
    mutating func publish(_ message: StateMessage, of aspect: String) {
        messages += 1
        changes += Int(message.changes)
        stateBytes += PacketSize.publish("\(Self.root)/state/\(aspect)", message.bytes.count) + PacketSize.puback
        packets += 2
    }

    /// Adds keep-alives and their replies.
    mutating func ping(_ count: Int) {
        keepAlives += count
        keepAliveBytes += 2 * PacketSize.ping * count
        packets += 2 * count
    }

    /// Adds a connection: CONNECT, the birth, the subscriptions, the own status that marks their end.
    mutating func connect(_ status: StatusMessage) {
        connections += 1
        statuses += 1
        let will = StatusMessage(isOnline: false, reason: .lost).bytes.count
        let birth = publication(of: status)
        sessionBytes += PacketSize.connect(client: Self.device, will: "\(Self.root)/status", payload: will)
        sessionBytes += PacketSize.connack + birth + PacketSize.puback
        sessionBytes += PacketSize.subscribe(["\(Self.root)/desired/+"]) + PacketSize.subscribe(["\(Self.root)/status"])
        sessionBytes += birth + PacketSize.puback
        packets += 10
    }

    /// Adds the end of a connection: the last status, and DISCONNECT.
    mutating func disconnect(_ status: StatusMessage) {
        statuses += 1
        sessionBytes += publication(of: status) + PacketSize.puback + PacketSize.disconnect
        packets += 3
    }

    private func publication(of status: StatusMessage) -> Int {
        PacketSize.publish("\(Self.root)/status", status.bytes.count, hasExpiry: true)
    }
}
