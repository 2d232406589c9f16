// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleSensorProxyCore
import ReveilleSystem

extension SensorProxy {
    /// Reports whether the bus is reachable.
    func watchConnection() async {
        var isReachable = true
        for await state in await device.connectionStates where (state == .connected) != isReachable {
            isReachable.toggle()
            if case .disconnected(let error) = state { log.write(.warning, "the bus is away: \(error)") }
            if isReachable { log.write(.info, "the bus is back") }
            handle(.reachable(isReachable))
        }
    }

    /// Asks the bus which sensors the device has.
    func check() async {
        do {
            let answers = try await device.checkAll(Sensor.allCases.map { Capability($0.aspect) })
            let present = zip(Sensor.allCases, answers).filter { $1 == .yes }.map(\.0)
            offer()
            handle(.checked(Set(present)))
        } catch {
            guard isOffered else { return end(Failure(description: "\(error)")) }
            log.write(.warning, "the bus was asked for its sensors: \(error)")
            handle(.checked(nil))
        }
    }

    /// Subscribes to the aspect of a sensor until the task is cancelled.
    func follow(_ sensor: Sensor) async {
        do {
            let subscription = try await device.subscribe(
                to: [sensor.aspect], options: SubscriptionOptions(initial: true, name: SensorObject.busName))
            while let event = try await subscription.next(), !Task.isCancelled {
                handle(.reading(sensor, Measurement(event.reading)))
            }
        } catch {
            guard !Task.isCancelled else { return }
            log.write(.warning, "\(sensor.aspect): \(error)")
            handle(.unfollowed(sensor))
        }
    }
}
