// SPDX-License-Identifier: Apache-2.0

package import ReveilleFleetCore

extension MQTTConnection {
    /// A retained message that the broker publishes if the connection ends without a DISCONNECT.
    package struct Will: Sendable, Hashable {
        package var topic: String
        package var payload: [UInt8]
        /// The time in seconds for which the broker waits for this client to return.
        package var delay: UInt32
        /// The time in seconds after which the broker discards the message; `nil` to keep it.
        package var expiry: UInt32?

        package init(topic: String, payload: [UInt8], delay: UInt32 = 0, expiry: UInt32? = nil) {
            self.topic = topic
            self.payload = payload
            self.delay = delay
            self.expiry = expiry
        }
    }

    package struct Options: Sendable, Hashable {
        package var broker: FleetBroker
        /// The client identifier, not empty.
        ///
        /// The broker ends an older connection with the same identifier.
        package var clientID: String
        /// Whether the broker forgets an earlier session.
        package var cleanStart = true
        /// The time in seconds for which the broker keeps the session after the connection.
        package var sessionExpiry: UInt32 = 0
        /// The number of messages at QoS 1 that the broker may send before they are acknowledged, at least 1.
        package var receiveMaximum: UInt16 = 1_000
        /// The time in seconds without traffic after which a ping is sent: 0 for never, or at least 5.
        package var keepAlive: UInt16 = 60
        /// The time in which the broker must answer a request or send a message; pings do not count.
        ///
        /// Longer than a broker needs to serve a whole fleet after its return.
        package var answerPatience: Duration = .seconds(30)
        package var will: Will?

        /// Creates options for a session that ends with the connection.
        package init(broker: FleetBroker, clientID: String) {
            self.broker = broker
            self.clientID = clientID
        }
    }

    package enum Event: Sendable, Hashable {
        /// The broker has accepted the client, and may know an earlier session.
        case connected(sessionPresent: Bool)
        /// A message; its expiry is the remaining time in seconds.
        case message(topic: String, payload: [UInt8], isRetained: Bool, expiry: UInt32?)
        /// The broker has received the message with an identifier, or refused it for a reason.
        case acknowledged(Int32, refusal: String?, code: UInt8)
        /// The reason codes for the filters of a subscription with an identifier: the granted QoS, or at least 0x80.
        case subscribed(Int32, codes: [UInt8])
        /// The connection has ended or could not be established. No event follows.
        case ended(MQTTError)
    }
}
