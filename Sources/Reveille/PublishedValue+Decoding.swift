// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleWire
import Varlink

extension PublishedValue {
    /// Decodes the value.
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
    /// Decodes the value of a published name.
    ///
    /// ```swift
    /// struct Volume: Codable {
    ///     var level: Double
    /// }
    /// let name = PublishedName<Volume>("org.example.volume")
    /// for try await event in try await device.subscribe(to: [.battery, name.aspect]) {
    ///     if let volume = try event.value(of: name) { print(volume.level) }
    /// }
    /// ```
    ///
    /// - Returns: The value; `nil` if it was withdrawn, and for an event of another aspect.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/unexpectedValue``.
    public func value<Value: Decodable>(of name: PublishedName<Value>) throws -> Value? {
        aspect == name.aspect ? try value(as: Value.self) : nil
    }

    /// Decodes the value of any published name, such as those of a pattern, as ``ReveilleCore/PublishedValue/decode(as:)``
    /// does.
    ///
    /// ```swift
    /// struct Track: Codable {
    ///     var title: String
    /// }
    /// for try await event in try await device.subscribe(to: ["org.example.player.*"]) {
    ///     if let track = try event.value(as: Track.self) { print(track.title) } else { print("withdrawn") }
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
    /// let volume = PublishedName<[String: Double]>("org.example.volume")
    /// print(try await device.value(of: volume)?["level"] ?? 0)
    /// ```
    ///
    /// - Parameter name: The published name.
    /// - Returns: The value; `nil` while nothing is published under the name.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/unexpectedValue`` for a value of another type, or
    ///   ``ReveilleError/Code/invalidArgument`` for an invalid name.
    public func value<Value: Decodable>(of name: PublishedName<Value>) async throws -> Value? {
        try await get(name).value(as: Value.self)
    }
}
