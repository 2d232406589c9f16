// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import Varlink

extension DeviceEvent {
    var json: JSON {
        [
            "device": .string(device.text), "aspect": .string(aspect), "value": value,
            "changes": changes.map { .integer($0) } ?? .null, "instance": .string(instance),
            "generation": .integer(generation), "newInstance": .bool(isNewInstance),
            "changedAt": changedAt.map { .integer($0) } ?? .null,
        ]
    }
}

extension DeviceStatus {
    var json: JSON {
        [
            "device": .string(device.text), "online": .bool(isOnline),
            "reason": reason.map { .string($0.rawValue) } ?? .null,
            "instance": instance.map { .string($0) } ?? .null, "aspects": .array(aspects.map { .string($0) }),
            "version": version.map { .string($0) } ?? .null, "wakeEvery": wakeEvery.map { .integer($0) } ?? .null,
            "age": age.map { .integer($0) } ?? .null,
        ]
    }
}

extension DeviceRemoval {
    var json: JSON {
        ["device": .string(device.text), "aspect": aspect.map { .string($0) } ?? .null, "removed": true]
    }
}
