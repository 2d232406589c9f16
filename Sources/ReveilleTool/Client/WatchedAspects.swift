// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleCore

/// The aspects that `reveille watch` follows when none is named.
enum WatchedAspects {
    /// The first words of most names.
    ///
    /// A pattern needs one, since none matches every name.
    private static let firstWords = ["org", "com", "net", "io", "dev", "app"]
    static let firstWordsText = Suggestion.list(firstWords)

    /// Returns the aspects of the device and patterns for published names; without the motion, whose samples never end.
    static func all(on device: Device) async throws -> AspectSet {
        let published = try await device.aspects().map(\.aspect).filter(\.isPublished)
        let words = Set(firstWords + published.map { String($0.name.prefix { $0 != "." }) })
        let builtIn = Aspect.device.filter { $0 != .motion }
        // More first words than a subscription has room for are unlikely, and the bus would refuse them.
        return AspectSet(builtIn + words.sorted().compactMap { Aspect($0 + ".*") })
    }

    /// Reports the number of published names that the default leaves out.
    static func reportLeftOut(on device: Device) async throws {
        let count = try await device.aspects().count { $0.aspect.isPublished && !$0.aspect.isOwn }
        guard count > 0 else { return }
        let (names, whose) = count == 1 ? ("1 published name is", "its") : ("\(count) published names are", "their")
        Console.error("reveille: \(names) left out; 'reveille watch --all' prints \(whose) changes too")
    }
}
