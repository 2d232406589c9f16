// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import Varlink

/// One ledger and one device, with short ways to send.
struct LedgerScene {
    /// A time at which a clock is right, in microseconds since 1970.
    static let time: Int64 = 1_700_000_000_000_000

    var ledger = Ledger()
    let device: DeviceID

    init(_ device: String = "kiosk-7") throws {
        self.device = try DeviceID(device)
        ledger.connect()
    }

    /// A ledger that knows the bus of the device and a state of it.
    init(knowing instance: String, _ generation: Int64) throws {
        try self.init()
        _ = status(instance)
        _ = state(instance, generation)
    }

    mutating func state(
        _ instance: String, _ generation: Int64, changedAt: Int64 = time, retained: Bool = false, at now: Int64 = 0
    ) -> Ledger.Outcome {
        let state = StateMessage(
            instance: instance, generation: generation, changes: 0, changedAt: changedAt,
            value: ["number": .integer(generation)])
        return ledger.take(state, of: device, aspect: "battery", isRetained: retained, at: now)
    }

    mutating func status(
        _ instance: String?, online: Bool = true, aspects: [String] = ["battery"], at now: Int64 = 0
    ) -> Ledger.Outcome {
        let status = StatusMessage(isOnline: online, instance: instance, aspects: aspects)
        return ledger.take(status, of: device, expiry: StatusMessage.lease, at: now)
    }
}

extension Ledger.Outcome {
    var state: DeviceEvent? { if case .state(let event)? = event { event } else { nil } }
}
