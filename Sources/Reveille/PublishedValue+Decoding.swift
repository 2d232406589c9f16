// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleWire
import Varlink

extension PublishedValue {
    /// Decodes the value.
    ///
    /// ```swift
    /// struct Volume: Codable {
    ///     var level: Double
    /// }
    /// let event = try await device.get("org.example.volume")
    /// if case .published(let value) = event.reading, let volume = try value.decode(as: Volume.self) {
    ///     print(volume.level)
    /// }
    /// ```
    ///
    /// - Parameter type: The type of the value.
    /// - Returns: The value; `nil` if it was withdrawn or has never been published.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/unexpectedValue`` with the name, and the path of the part that
    ///   does not have the expected type.
    public func decode<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value? {
        let structure = structure
        guard !structure.isNull else { return nil }
        return try Result { () throws(JSONCodingError) in try structure.decode(type) }
            .mapError { ReveilleError(.unexpectedValue, "\(name): the value is not a \(type): \($0)") }.get()
    }
}

extension Event {
    /// Decodes the value of a published name, as ``ReveilleCore/PublishedValue/decode(as:)`` does.
    ///
    /// ```swift
    /// struct Volume: Codable {
    ///     var level: Double
    /// }
    /// for try await event in try await device.subscribe(to: "org.example.volume") {
    ///     if let volume = try event.value(as: Volume.self) { print(volume.level) } else { print("withdrawn") }
    /// }
    /// ```
    ///
    /// - Parameter type: The type of the value.
    /// - Returns: The value; `nil` if it was withdrawn, and for an aspect of the device.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/unexpectedValue``.
    public func value<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value? {
        try reading.published?.decode(as: type)
    }
}

extension Device {
    /// Returns the current value of a name that a program publishes.
    ///
    /// ```swift
    /// struct Volume: Codable {
    ///     var level: Double
    /// }
    /// let volume = try await device.value(of: "org.example.volume", as: Volume.self)
    /// print(volume?.level ?? 0)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The published name.
    ///   - type: The type of the value.
    /// - Returns: The value; `nil` while nothing is published under the name.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/unexpectedValue`` for a value of another type, or
    ///   ``ReveilleError/Code/invalidArgument`` if the name cannot be published, such as a pattern.
    public func value<Value: Decodable>(
        of name: Aspect, as type: Value.Type = Value.self
    ) async throws -> Value? {
        try name.checkIsPublished()
        return try await get(name).value(as: type)
    }
}
