// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleFleetCore
import ReveilleWire
import Varlink

extension DeviceEvent {
    /// The state in the type of its aspect; `nil` if this version does not know the state.
    ///
    /// ```swift
    /// for try await case .state(let event) in try await fleet.events(aspects: [.battery]) {
    ///     if let level = event.reading?.battery?.level, level < 0.1 { print(event.device) }
    /// }
    /// ```
    ///
    /// Words of a later version read as unknown.
    package var reading: Reading? {
        guard let aspect = Aspect(aspect) else { return nil }
        return try? ReadingCoding.decode(value, of: aspect, noting: UnknownWords())
    }

    /// Decodes the value of a published name, or the structure of an aspect.
    ///
    /// ```swift
    /// struct Volume: Codable {
    ///     var level: Double
    /// }
    /// for try await case .state(let event) in try await fleet.events(aspects: ["org.example.volume"]) {
    ///     if let volume = try event.value(as: Volume.self) { print(event.device, volume.level) }
    /// }
    /// ```
    ///
    /// - Parameter type: The type of the value.
    /// - Returns: The value; `nil` if it was withdrawn.
    /// - Throws: `FleetError` with `FleetError.Code.unexpectedValue`, and the path of the part that does not have
    ///   the expected type.
    package func value<Value: Decodable>(as type: Value.Type = Value.self) throws(FleetError) -> Value? {
        guard !value.isNull else { return nil }
        do throws(JSONCodingError) {
            return try value.decode(type)
        } catch {
            throw FleetError(.unexpectedValue, "\(device) \(aspect): the value is not a \(type): \(error)")
        }
    }
}
