// SPDX-License-Identifier: Apache-2.0

import CMosquitto

/// A list of properties of a packet to be sent, freed with its owner.
struct MQTTProperties: ~Copyable {
    private(set) var list: OpaquePointer?

    deinit {
        var list = list
        mosquitto_property_free_all(&list)
    }

    mutating func add(_ identifier: mqtt5_property, _ value: UInt32) {
        mosquitto_property_add_int32(&list, Int32(identifier.rawValue), value)
    }

    /// Passes the list to a new owner.
    mutating func release() -> OpaquePointer? {
        defer { list = nil }
        return list
    }
}

/// The properties of a received packet.
struct ReceivedProperties {
    let list: OpaquePointer?

    func byte(_ identifier: mqtt5_property) -> UInt8? {
        var value: UInt8 = 0
        return mosquitto_property_read_byte(list, Int32(identifier.rawValue), &value, false) == nil ? nil : value
    }

    func int16(_ identifier: mqtt5_property) -> UInt16? {
        var value: UInt16 = 0
        return mosquitto_property_read_int16(list, Int32(identifier.rawValue), &value, false) == nil ? nil : value
    }

    func int32(_ identifier: mqtt5_property) -> UInt32? {
        var value: UInt32 = 0
        return mosquitto_property_read_int32(list, Int32(identifier.rawValue), &value, false) == nil ? nil : value
    }
}
