// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleSystem
import ReveilleWire

extension BusOptions {
    func device() async throws -> Device {
        try await Device.connect(to: address, logger: .warnings)
    }

    /// Connects on a thread that the caller uses too, and reports the loss of the bus and its return from then on.
    ///
    /// With `wait`, a bus that is not there yet is reported and waited for.
    func device(
        on thread: LoopThread, wait: Bool = false, onReport: @escaping @Sendable () -> Void = {}
    ) async throws -> Device {
        let device: Device
        do {
            device = try await Device.connect(to: address, logger: .warnings, on: thread)
        } catch let error as ReveilleError {
            guard wait, error.code == .noBus else { throw error }
            Console.error("reveille: \(error); waiting for the bus")
            device = try await Device.connect(to: address, wait: true, logger: .warnings, on: thread)
        }
        Task(executorPreference: thread) {
            try await device.reportConnection {
                Console.error($0)
                onReport()
            }
        }
        return device
    }

    func resolved() throws(ReveilleError) -> UnixAddress {
        try BusAddress.resolve(address)
    }
}

extension Device {
    /// Reports the loss of the bus and its return, until the task is cancelled; if `endsOnLoss` is set, throws the
    /// reason for the loss instead.
    func reportConnection(endsOnLoss: Bool = false, to report: (StyledText) -> Void) async throws(ReveilleError) {
        var isLost = false
        for await state in await connectionStates {
            switch state {
            case .disconnected(let error) where endsOnLoss: throw error
            case .disconnected(let error):
                if !isLost { report("reveille: \(error); waiting for the bus to return") }
                isLost = true
            case .connected:
                if isLost { report("reveille: reconnected to the bus") }
                isLost = false
            }
        }
    }
}

extension Device {
    func printState(of aspect: Aspect, json: Bool) async throws {
        let event = try await self.event(of: aspect)
        try json ? Console.json(event.structure) : Console.line(EventText.line(event))
    }
}
