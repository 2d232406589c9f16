// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore

/// The subscriptions of the page and its history.
///
/// Pure.
package enum SubscriptionPlan {
    /// The least time between visible samples of motion, and between shakes.
    private static let motionInterval: Duration = .seconds(1)
    /// The least time between records: a month at this pace is 43,200 rows.
    private static let recordInterval: Duration = .seconds(60)
    /// The most aspects and patterns of a subscription on the bus.
    private static let aspectLimit = 64
    /// The first words of most names.
    ///
    /// A subscription also contains names with other first words that exist when the page connects. For a new one, the
    /// page connects again.
    private static let usualWords = ["com", "dev", "io", "net", "org"]

    package static let battery = SubscriptionRequest(
        aspects: AspectSet(.battery), name: "reveille-view history",
        policies: [.battery: Policy(interval: recordInterval)])

    /// Every aspect of the device and every published name, for a page that is visible; an older bus has fewer aspects.
    package static func everything(of sources: [AspectInfo]) -> SubscriptionRequest {
        let names = sources.map(\.aspect)
        // The lifecycle describes this subscription itself.
        let device = names.filter { $0.builtIn != nil && $0 != .lifecycle }
        let words = names.filter { $0.builtIn == nil }
            .map { String(Substring($0.name.utf8.prefix { $0 != UInt8(ascii: ".") })) }
        let patterns = (usualWords + Set(words).subtracting(usualWords).sorted()).compactMap { Aspect($0 + ".*") }
        let paced = [Aspect.motion, .shake].filter(device.contains)
        return SubscriptionRequest(
            aspects: AspectSet(Array((device + patterns).prefix(aspectLimit))), name: "reveille-view page",
            policies: Dictionary(uniqueKeysWithValues: paced.map { ($0, Policy(interval: motionInterval)) }))
    }
}
