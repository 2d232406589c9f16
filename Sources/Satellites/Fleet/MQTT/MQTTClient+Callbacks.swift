// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CMosquitto

extension MQTTClient {
    /// Returns the client of a callback.
    ///
    /// It exists, since it makes all calls of libmosquitto.
    private static func client(_ userdata: UnsafeMutableRawPointer?) -> MQTTClient {
        guard let userdata else { preconditionFailure("callback without a client") }
        return Unmanaged<MQTTClient>.fromOpaque(userdata).takeUnretainedValue()
    }

    func setCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, userdata, code, flags, properties in
            MQTTClient.client(userdata).noteConnected(
                UInt8(truncatingIfNeeded: code), sessionPresent: flags & 1 != 0, ReceivedProperties(list: properties))
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, userdata, code, _ in
            MQTTClient.client(userdata).noteDisconnected(code)
        }
        mosquitto_message_v5_callback_set(handle) { _, userdata, message, properties in
            guard let message = message?.pointee else { return }
            MQTTClient.client(userdata).note(message, ReceivedProperties(list: properties))
        }
        mosquitto_publish_v5_callback_set(handle) { _, userdata, identifier, code, _ in
            MQTTClient.client(userdata).notePublished(identifier, UInt8(truncatingIfNeeded: code))
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, userdata, identifier, count, codes, _ in
            let codes = UnsafeBufferPointer(start: codes, count: Int(max(0, count)))
            MQTTClient.client(userdata).noteSubscribed(identifier, codes.map { UInt8(truncatingIfNeeded: $0) })
        }
        mosquitto_log_callback_set(handle) { _, userdata, level, text in
            if let text { MQTTClient.client(userdata).noteLog(level, text) }
        }
    }
}
