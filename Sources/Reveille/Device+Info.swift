// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleWire
import Varlink

extension Device {
    /// The description of the device and its system.
    ///
    /// It is read when it is requested.
    ///
    /// ```swift
    /// let info = try await device.info
    /// print(info.model ?? "unknown model", info.system, info.systemVersion)
    /// ```
    ///
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/notSupported`` if the bus is of a version without this call.
    public var info: DeviceInfo {
        get async throws { try await engine.call(DescribeDevice()) }
    }

    /// Returns whether the device has a source for an aspect now, such as a battery or a sensor, with the reason if it
    /// does not.
    ///
    /// ```swift
    /// switch try await device.check(.proximity) {
    /// case .yes: print("the screen can turn off at the ear")
    /// case .no(let reason): print(reason)
    /// case .unknown: print("the bus is of an earlier version")
    /// @unknown default: break
    /// }
    /// ```
    ///
    /// - Parameter aspect: An aspect of the device, or a published name, which is available while it is published.
    /// - Returns: The answer; `CapabilityAnswer.unknown` from a bus of a version without this call.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/noBus`` or ``ReveilleError/Code/timeout`` if the bus is
    ///   unavailable.
    public func check(_ aspect: Aspect) async throws -> CapabilityAnswer {
        try await check(Capability(aspect))
    }

    /// Returns whether the device and its bus have a capability, for this user.
    ///
    /// ```swift
    /// let canPublish = try await device.check(.publish) == .yes
    /// ```
    ///
    /// - Returns: The answer; `CapabilityAnswer.unknown` from a bus of a version without this call.
    /// - Throws: ``ReveilleError``, as ``check(_:)-(Aspect)`` does.
    public func check(_ capability: Capability) async throws -> CapabilityAnswer {
        try await checkAll([capability])[0]
    }

    /// Returns whether the device and its bus have several capabilities, as ``check(_:)-(Capability)`` does for one.
    ///
    /// ```swift
    /// let answers = try await device.checkAll([Capability(.orientation), .publish])
    /// if !answers.allSatisfy({ $0 == .yes }) { print("this device is not supported", answers) }
    /// ```
    ///
    /// - Parameter capabilities: At most 1,024 capabilities.
    /// - Returns: The answers in the order of the capabilities.
    /// - Throws: ``ReveilleError``, as ``check(_:)-(Aspect)`` does; ``ReveilleError/Code/invalidArgument`` for more
    ///   capabilities.
    public func checkAll(_ capabilities: [Capability]) async throws -> [CapabilityAnswer] {
        let checks: [CapabilityCheck]
        do throws(ReveilleError) {
            checks = try await engine.call(CheckCapabilities(capabilities.map(\.name)))
        } catch {
            guard error.code == .notSupported else { throw error }
            return capabilities.map { _ in .unknown }
        }
        let answers = Dictionary(checks.map { ($0.capability, $0.answer) }) { $1 }
        return capabilities.map { answers[$0.name] ?? .unknown }
    }
}
