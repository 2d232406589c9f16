// SPDX-License-Identifier: Apache-2.0

/// A name under which a program publishes states, with the type of their values.
///
/// Publisher and subscribers declare it once, and use it in every call:
///
/// ```swift
/// struct Volume: Codable {
///     var level: Double
/// }
/// extension PublishedName where Value == Volume {
///     static var volume: Self { Self("org.example.volume") }
/// }
/// try await device.publish(.volume, Volume(level: 0.4))
/// let volume = try await device.value(of: .volume)
/// ```
///
/// A name consists of at least two words of letters, digits, `-` and `_`, joined by dots, with at most 255 bytes. Begin it
/// with a domain of your own, in reverse order.
public struct PublishedName<Value>: Sendable, Hashable {
    /// The aspect of the name, for a subscription to several aspects, its policies and its events.
    public let aspect: Aspect

    /// Declares a name; an invalid one, such as a pattern or an aspect of the device, is refused by the call that uses it.
    public init(_ name: String) {
        self.init(Aspect(stringLiteral: name))
    }

    package init(_ aspect: Aspect) {
        self.aspect = aspect
    }
}
