// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
public import ReveilleFleet
public import ReveilleFleetCore
import ReveilleWire
import Varlink

/// Fleets for unit tests of readers, which require neither a broker nor devices.
public enum TestFleet {
    /// Creates an in-memory fleet without devices, which begin with their first state or status.
    ///
    /// Events begin, merge and continue from positions as with a broker.
    ///
    /// ```swift
    /// let fleet = try await TestFleet.inMemory()
    /// let events = try await fleet.events()
    /// await fleet.enterBackground()
    /// for step in 1...20 { try await fleet.publish("org.example.volume", ["level": step], on: "kiosk-7") }
    /// await fleet.enterForeground()  // one event for the name, and one for the status of the device
    /// for try await event in events { print(event) }
    /// ```
    ///
    /// - Throws: `FleetError` with `FleetError.Code.unreachable` if the system cannot create a thread.
    public static func inMemory() async throws(FleetError) -> Fleet {
        try await Fleet.connect(MemoryBroker())
    }
}

extension Fleet {
    /// Posts states of a device of ``TestFleet``, and sets its status; awake readers have the events at once.
    ///
    /// A state that is equal to the last one is not a change, as on a device.
    ///
    /// ```swift
    /// try await fleet.post(.proximity(.near), .battery(Battery(state: .full)), on: "kiosk-7")
    /// try await fleet.post(on: "kiosk-7", status: .lost)
    /// ```
    ///
    /// - Parameters:
    ///   - readings: The states, which the device posts while it is connected.
    ///   - device: The name of the device.
    ///   - status: Why the device is not connected afterwards; `nil` if it is, and `noBus` if it is without its bus.
    /// - Throws: `FleetError`: `FleetError.Code.invalidName` for a name that a device cannot have;
    ///   `FleetError.Code.unexpectedValue` for an impossible state, such as a level above 1; `FleetError.Code.refused` for
    ///   the fleet of a broker.
    public func post(
        _ readings: Reading..., on device: String, status: DeviceStatus.Reason? = nil
    ) async throws(FleetError) {
        var states: [(Aspect, JSON)] = []
        for reading in readings {
            let value = ReadingCoding.encode(reading)
            guard (try? ReadingCoding.decode(value, of: reading.aspect)) != nil else {
                throw FleetError(.unexpectedValue, "the state is not allowed: \(reading)")
            }
            states.append((reading.aspect, value))
        }
        try await post(states, on: device, status: status)
    }

    /// Publishes a value under a name on a device of ``TestFleet``, which is then connected, as ``post(_:on:status:)`` does.
    ///
    /// - Throws: `FleetError`, as ``post(_:on:status:)`` does: `FleetError.Code.invalidName` also for a name that programs
    ///   cannot publish, and `FleetError.Code.unexpectedValue` for a value that is not a JSON object.
    public func publish(_ name: Aspect, _ value: some Encodable, on device: String) async throws(FleetError) {
        guard name.builtIn == nil, !name.isPattern, Aspect(name.name) != nil else {
            throw FleetError(.invalidName, "'\(name.name.escaped)' is not a name that programs publish")
        }
        let json = try? JSON(encoding: value, maximumDepth: PublishedValue.depthLimit)
        guard let json, json.objectValue != nil else {
            throw FleetError(.unexpectedValue, "\(name): the value cannot be encoded as a JSON object")
        }
        try await post([(name, json)], on: device, status: nil)
    }

    private func post(
        _ states: [(Aspect, JSON)], on device: String, status: DeviceStatus.Reason?
    ) async throws(FleetError) {
        let device = try DeviceID(device)
        let isPosted = await change { messages in
            (messages as? MemoryBroker)?.post(states, on: device, status: status) != nil
        }
        guard isPosted else { throw FleetError(.refused, "only a fleet in memory takes states of a test") }
    }
}
