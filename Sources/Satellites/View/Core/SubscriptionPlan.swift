// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import Varlink

/// What a subscription of the page, or of its history, names.
///
/// Pure.
package enum SubscriptionPlan: Sendable {
    /// Every aspect of the device and every published name, for a page that is visible.
    case everything
    /// The battery, for the history.
    case battery

    /// The least time in milliseconds between samples of motion that a person sees, and between shakes.
    private static let motionInterval: Int64 = 1_000
    /// The least time in milliseconds between records.
    ///
    /// A month at this pace is 43,200 rows.
    private static let recordInterval: Int64 = 60_000
    /// The most aspects and patterns of a subscription on the bus.
    private static let aspectLimit = 64
    /// The first words of most names.
    ///
    /// A name with another first word is subscribed to if it is there when the page connects, which it does again for a
    /// new one.
    private static let usualWords = ["com", "dev", "io", "net", "org"]

    /// Returns the parameters of the subscription.
    ///
    /// - Parameter descriptions: The aspects of the bus, as `DescribeAspects` lists them: an older bus has fewer.
    /// - Returns: The parameters of `Subscribe`, without a position.
    package func parameters(describing descriptions: [JSON]) -> JSONObject {
        switch self {
        case .battery:
            return [
                "name": "reveille-view history", "aspects": ["battery"],
                "policies": [["aspect": "battery", "interval": .integer(Self.recordInterval)]],
            ]
        case .everything:
            let names = descriptions.compactMap { $0.objectValue?["aspect"]?.stringValue }
            // The lifecycle is that of this subscription itself.
            let device = names.filter { !$0.utf8.contains(UInt8(ascii: ".")) && $0 != "lifecycle" }
            let words = names.filter { $0.utf8.contains(UInt8(ascii: ".")) }
                .map { String(Substring($0.utf8.prefix { $0 != UInt8(ascii: ".") })) }
            let patterns = Self.usualWords + Set(words).subtracting(Self.usualWords).sorted()
            let aspects = (device + patterns.map { $0 + ".*" }).prefix(Self.aspectLimit)
            let paced = ["motion", "shake"].filter(device.contains)
            return [
                "name": "reveille-view page", "aspects": .array(aspects.map { .string($0) }),
                "policies": .array(
                    paced.map { ["aspect": .string($0), "interval": .integer(Self.motionInterval)] }),
            ]
        }
    }
}
